// Links new chunks to the entities they name; start and end are offsets in the chunk's text, absent where it words it
// differently. Where it was decided that a name written there is this entity, `names` are all ids that were written and
// `places` theirs. The chunks are new in this transaction, or forgot what they mention: there is nothing to merge with.
// `type` is the class that the chunk gives the name, absent where it gives none.
// Parameters: $rows ({chunk, mentions: [{entity, surface, start, end, type, names, places}]}). Columns: none.
UNWIND $rows AS row
MATCH (c:Chunk {key: row.chunk})
UNWIND row.mentions AS mention
MATCH (e:Entity {key: mention.entity})
CREATE (c)-[:MENTIONS {
  surface: mention.surface, start: mention.start, end: mention.end, type: mention.type, names: mention.names,
  places: mention.places
}]->(e)
