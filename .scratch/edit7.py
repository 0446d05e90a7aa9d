def sub(path, pairs):
    s=open(path).read()
    for a,b in pairs:
        assert a in s, (path, a[:90])
        s=s.replace(a,b)
    open(path,'w').write(s)
sub('src/database/migrations/version-4/topic-deltas.ts',[
(" * @param changes a query for the removed rows (sign -1) and the added rows (sign 1).\n */\nconst countTrigger = (name: string, changes: string) =>"," * @param rows the transition table that is empty when nothing changed\n * @param changes a query for the removed rows (sign -1) and the added rows (sign 1).\n */\nconst countTrigger = (name: string, rows: 'old_links' | 'new_links', changes: string) =>"),
("  begin\n    with changes as materialized (${changes}),","  begin\n    if not exists (select from ${rows}) then return null; end if;\n    with changes as materialized (${changes}),"),
("    'count_inserted_request_topics',\n","    'count_inserted_request_topics',\n    'new_links',\n"),
("    'count_deleted_request_topics',\n","    'count_deleted_request_topics',\n    'old_links',\n"),
("    'count_updated_request_topics',\n","    'count_updated_request_topics',\n    'new_links',\n"),
])
sub('src/topics/README.md',[
("""- **Triggers update the counts** on `request_topics`, `requests` and `platform_topics` (`migrations/version-1/topics.ts`, their functions in
  `version-2/topics.ts`), in the transaction that changes the requests. The counts always equal the lists; `verify.ts` counts again and compares.
""","""- **Triggers append what changes in the counts** (`topic_deltas`, one row a statement and topic), in the transaction that changes the requests. So pages of one topic do not
  wait for each other. The background folds these rows into `topics` and `topic_counts`.
- **Whoever reads a count adds what is not folded** (`differences.ts`), so the counts always equal the lists; `verify.ts` counts again and compares. A fold takes a row away in the transaction
  that adds it: a crash loses and doubles nothing. A purge folds at its end.
"""),
])
s=open('src/topics/README.md').read()
i=s.index("- **A transaction that stores or deletes requests takes the lock `topics`")
j=s.index("- **A topic is shown in its first spelling**")
s=s[:i]+s[j:]
s=s.replace("- **Whoever reads a count adds","- **Each read of a count adds")
open('src/topics/README.md','w').write(s)
sub('src/requests/README.md',[
("""**Requests are stored only by `store/store.ts` and deleted only by `store/delete.ts`.** Both take the lock of the topics
  first (`database/advisory-locks.ts`).
""","""**Requests are stored only by `store/store.ts` and deleted only by `store/delete.ts`.**
- **No lock is taken by all writers** ([decision 052](../../docs/decisions/052-writers-in-parallel.md)). What changes a request, its text, standing or membership holds the lock of
  its row, taken with those of all others of the transaction in one statement, in the order (platform, source id) (`store/request-locks.ts`). Advisory locks come before.
- **What many writers change at once is appended and folded later** (`store/folding.ts`): counts of topics and words. Reads add what is not folded.
"""),
])
sub('src/requests/search/README.md',[
("""Texts that change, are deleted or become unlisted are
  counted in the same transaction: a word leaves with the last counted text that had it.""","""Words that texts gain or lose by a change,
  a deletion or becoming unlisted are noted in the same transaction (`word_deltas`), and reads add what is noted: a word leaves with the last counted text that had it."""),
("(`uncounted-texts.ts`, `text-counting.ts`)","(`uncounted-texts.ts`, `store/folding.ts`)"),
("under the lock `topics`. So a text is","under the locks of their requests. So a text is"),
])
sub('src/wishes/placing/README.md',[("under the lock `topics`","under the lock `memberships` and those of the requests")])
sub('src/requests/wishes/README.md',[
("- **Triggers maintain `wishes` and `account_wishes`**, in the transaction of whatever changes a member: votes, standing, deletion, placing, corrections.\n",
"""- **Triggers maintain `wishes` and `account_wishes`**, in the transaction of whatever changes a member: votes, standing, deletion, placing, corrections. They count when the
  transaction commits, under the locks of all its changed wishes, taken in the order of their ids ([decision 052](../../../docs/decisions/052-writers-in-parallel.md)).
"""),
])
def append(path, text):
    s=open(path).read().rstrip('\n')+'\n\n'+text
    open(path,'w').write(s)
append('docs/decisions/017-exact-vocabulary.md',"""## Changed for several writers

The lock `topics` is gone (decision 052). Words that texts lose are noted in `word_deltas`, and reads subtract them, so they still are taken back at once.
""")
append('docs/decisions/018-topics-lists-and-export.md',"""## Changed for several writers

The one lock is gone, and triggers append differences instead of changing counts (decision 052).
""")
sub('docs/decisions/045-wishes.md',[("Status: accepted\n","Status: accepted; since decision 052 the triggers count at the end of the transaction\n")])
sub('docs/decisions/046-who-belongs-together.md',[("under the lock of all writers,","under the lock of memberships and those of the requests,")])
s=open('ARCHITECTURE.md').read()
line="| a refresh that changes nothing writes nothing | `src/scraping/stored-pages.test.ts` |\n"
assert line in s
s=s.replace(line,line+"""| pages with the same requests in other orders never deadlock, and all counts stay exact | `test/writers.test.ts` |
| no lock is exclusive to a page, and no page waits for a lock that all take | `test/writers.test.ts` |
| a crash between a change of a count and its fold loses and doubles nothing | `test/writers.test.ts` |
""")
open('ARCHITECTURE.md','w').write(s)
s=open('CHANGELOG.md').read()
line="- Only requests that are about the topic join it. A job shows how many results were left out, and why.\n"
assert line in s
s=s.replace(line,line+"- Several processes on one Postgres store pages at the same time, also of one topic: nothing waits for a lock that all share.\n")
open('CHANGELOG.md','w').write(s)
