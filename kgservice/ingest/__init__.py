"""From files to the graph: loaders, admission, the pipeline, its report, bulk import."""
