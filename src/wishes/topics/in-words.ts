import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { createTopicTest, type TopicTest } from '../../platforms/about-topic.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import type { View } from '../../requests/view.ts'
import { membersIn } from '../../requests/wish-numbers/membership.ts'
import { wordsOf } from '../../runtime/text/words.ts'
import { sameWordsIn } from '../../search/query.ts'

const maxLookedAt = 50

/** Whether title or text mention a topic, in its words or what a search takes as the same ("dark theme"). */
function createWordsTest(topic: string): TopicTest {
  const written = ` ${wordsOf(topic).join(' ')} `
  const others = sameWordsIn(topic).flatMap(({ words, others: same }) =>
    same.map((other) => written.replace(` ${words} `, ` ${other} `).trim()),
  )
  const tests = [topic, ...others].map((name) => createTopicTest(name))
  return (request) => tests.some((isAbout) => isAbout(request))
}

/** The wishes with a request of the topic that mentions it in title or text, not only as a tag. */
export async function readInWords(
  executor: Executor,
  wishIds: readonly string[],
  { topic, view }: { topic: string; view: View },
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string; title: string; description: string }>`
    select wish.id, title, description from unnest(${[...wishIds]}::uuid[]) as wish (id) cross join lateral (
      select request_id from (${membersIn(view, sql.ref('wish.id'))}) as member
      where exists (select from request_topics as link
        where link.request_id = member.request_id and link.topic_key = ${topicKey(topic)})
      limit ${sql.lit(maxLookedAt)}
    ) as member join requests on requests.id = member.request_id`.execute(executor)
  const isInWords = createWordsTest(topic)
  return new Set(rows.filter((row) => isInWords({ ...row, tags: [], sourceName: null })).map(({ id }) => id))
}
