"""Questions, texts and evidence in the formats that other tools read."""
