"""How good what the service finds and makes is."""
