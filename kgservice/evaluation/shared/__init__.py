"""What the experiments share: sample, folder of a run, measured answers, the report's page."""
