/** Words that counted texts gained or lost: those who write texts do not change the vocabulary, a later fold does (decision 052). */
export const wordDeltas: readonly string[] = [
  // In the order of the ids, the rows of one request are in the order of its changes.
  `create table word_deltas (
    id bigint generated always as identity primary key,
    word text collate "C" not null,
    change integer not null
  )`,
  // Readers add the rows of the words that they read.
  'create index word_deltas_word on word_deltas (word)',
]
