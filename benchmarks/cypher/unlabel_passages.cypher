// That label goes again.
MATCH (c:PeerPassage)
REMOVE c:PeerPassage
