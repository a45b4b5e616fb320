"""Language models behind any OpenAI-compatible endpoint: asked once, paid once, every failure recorded."""
