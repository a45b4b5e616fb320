// Makes the names of the properties and relationships that statements look at, as a new database has none: Neo4j throws
// the plans of all statements that look at a property away when the first value of it is written.
// Parameters: none. Columns: none.
UNWIND [
  'aliases', 'answers', 'as_of', 'asked', 'beside', 'by', 'cause', 'cells', 'chunks', 'class_passages', 'classes',
  'confidence', 'contains_table', 'content_hash', 'corpus', 'decisions', 'degree', 'description', 'dimension', 'doc_type',
  'document_keys', 'documents', 'domain', 'embedding', 'end', 'entities', 'evidence', 'extracted', 'fact_keys', 'facts',
  'full_from', 'holds', 'id', 'index', 'into', 'label', 'last_write', 'looked', 'mention_types', 'mentioned', 'metadata',
  'names', 'novel', 'number', 'objects', 'page', 'passages', 'pattern', 'period', 'places', 'published', 'question',
  'question_plan', 'question_totals', 'question_writes', 'questions_complete', 'reading', 'readings', 'retyped', 'rivals',
  'said', 'said_from', 'said_until', 'schema', 'score', 'section', 'sentences', 'share', 'shared_names', 'slot', 'source',
  'start', 'subjects', 'summary', 'summary_embedding', 'surface', 'text_index', 'tokens', 'type', 'unit', 'url', 'value',
  'vector_index', 'version', 'view_of', 'written'
] AS property
CALL db.createProperty(property)
WITH count(*) AS properties
UNWIND ['MENTIONS', 'PART_OF', 'USES'] AS relationship
CALL db.createRelationshipType(relationship)
FINISH
