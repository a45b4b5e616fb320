"""Questions: which subgraphs can be asked about, in what words, and which of them are kept."""
