// The passages that mention names of these forms, in order of key; who asks leaves out the forms that very many mention.
// Parameters: $forms (keys of forms). Columns: form, chunks ({chunk, title}).
UNWIND $forms AS form
MATCH (e:Entity {form: form})<-[:MENTIONS]-(c:Chunk)
WITH DISTINCT form, c
ORDER BY c.key
RETURN form, collect({chunk: c.key, title: c.title}) AS chunks
ORDER BY form
