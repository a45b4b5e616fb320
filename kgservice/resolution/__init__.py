"""Which names and relations of a corpus are the same, and decisions of people about them."""
