/** Topics that only an expansion thought of are in no list, until a person collects them. */
export const topics: readonly string[] = [
  // Of unowned jobs: an expansion thought of the topic. A call that names the topic clears it.
  'alter table scrape_jobs add column from_expansion boolean not null default false',
  // Of topics that only such jobs have collected. Which older topics came from expansions is not known.
  'alter table topics add column from_expansion boolean not null default false',
  'drop index topics_new',
  'drop index topics_top',
  'drop index topics_name',
  'create index topics_new on topics (collected_at desc, key desc) where requests > 0 and not from_expansion',
  'create index topics_top on topics (votes desc, key desc) where requests > 0 and not from_expansion',
  'create index topics_name on topics (key) where requests > 0 and not from_expansion',
]
