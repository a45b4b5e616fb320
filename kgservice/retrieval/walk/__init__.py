"""The parts of the graph retriever: names of a query, their neighbourhood, PageRank, and the paths of a hit."""
