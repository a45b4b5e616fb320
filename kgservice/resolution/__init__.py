"""Which names and relations of a corpus are the same, and people's decisions about them."""
