// Removes what is stored of the sources of a corpus's questions.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: none.
MATCH (s:QuestionSource)
WHERE s.key > $code AND s.key < $until
CALL (s) {
  DELETE s
} IN TRANSACTIONS OF 10000 ROWS
