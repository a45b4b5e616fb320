"""The demo corpus: 40 invented documents and two newer ones, as JSONL, shipped with the package."""
