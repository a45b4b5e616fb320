// The passages of one corpus get a label, for a peer whose search has no filter.
// Parameters: $code (the corpus's code), $until ($code + '~').
MATCH (c:Chunk) WHERE $code < c.key < $until
SET c:PeerPassage
