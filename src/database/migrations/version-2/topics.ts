/** Topics count their likely requests, and how many more may be requests. */
export const topics: readonly string[] = [
  // A copy from requests, like the other columns; the default is what requests of version 1 have.
  'alter table request_topics add column standing smallint default 2',
  // How many of its requests are of the class maybe; a trigger maintains it.
  'alter table topics add column maybe integer not null default 0',
  `create index request_topics_new_likely on request_topics (topic_key, posted_at desc, request_id desc) where standing = 2`,
  `create index request_topics_top_likely on request_topics (topic_key, votes desc, request_id desc) where standing = 2`,
]
