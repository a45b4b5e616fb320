"""Language models behind any OpenAI-compatible endpoint: each call is paid once, and every failure is recorded."""
