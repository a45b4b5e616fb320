"""Small trained models that read sentences, run by numpy and onnxruntime, with their weights."""
