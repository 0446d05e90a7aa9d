import { Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import type { Data } from '../../../client/types.ts'
import { closed } from '../../http/schemas.ts'
import { count } from '../../runtime/count.ts'
import type { Row } from '../answer.ts'
import { type Position, pageAt, positionOf } from '../cursor.ts'
import { clip } from '../tokens.ts'
import { type Call, tool } from '../tool.ts'
import { cursor, date } from './inputs.ts'
import { inLine, nameOf } from './requests.ts'

type OfWatch = Data<'readNews'>['results'][number]

const changes = {
  rising: 'rising',
  newWishes: 'new',
  grown: 'grown',
  completed: 'completed',
  declined: 'declined',
  other: 'other',
} as const

const maxExcerpt = 60

function rowOf(change: string, item: OfWatch['newWishes'][number], { watchId, watchName }: OfWatch): Row {
  const { wishId, requestId, votes, votesGained, requestsGained, platforms, status, rise } = item
  const title = nameOf(item.title)
  return {
    facts: { change, watchId, wishId, requestId, votes, votesGained, requestsGained, platforms, status, rise },
    foreign: { title, excerpt: clip(item.excerpt, maxExcerpt), watch: nameOf(watchName) },
    line: `- ${change}: ${inLine(title)} (wishId ${wishId}, ${count(votes, 'vote')}, ${votesGained} gained)`,
  }
}

const rowsOf = (ofWatch: OfWatch): Row[] =>
  Object.entries(changes).flatMap(([list, change]) =>
    ofWatch[list as keyof typeof changes].map((item) => rowOf(change, item, ofWatch)),
  )

/** Watches without news skipped per call. */
const maxQuiet = 20

function readNews(given: { watchId?: string; since?: string }, at: Position['at'], { client, signal }: Call) {
  const { watchId, since } = given
  const query = {
    // A watch can have up to 250 news.
    limit: 1,
    ...(watchId === undefined ? {} : { watchId }),
    ...(since === undefined ? {} : { since }),
    ...(at === null ? {} : { cursor: String(at) }),
  }
  return client.GET('/api/v1/news', { params: { query }, signal })
}

export const news = tool({
  name: 'news',
  title: 'News of watches',
  description:
    'What rises beyond its own past (in another list, too), is new, grew, was completed or declined in the watched topics since news were last marked as read, which the page does, or since a day. `other` does not fit the goal of its watch; totals count what is beyond the first 50 of each kind. Costs nothing itself: a watch that is read goes on running.',
  scope: 'read',
  input: closed({
    watchId: Type.Optional(Type.String({ maxLength: 100 })),
    since: date('Reports of this day, 2026-01-31, or later'),
    cursor,
  }),
  output: Type.Object({ totals: Type.Array(Type.Object({})) }),
  async call(given, call) {
    const position = positionOf('news', given)
    // A watch without news is a page, too.
    for (let at = position.at, pages = 1; ; pages += 1) {
      const { data } = await answerOf(readNews(given, at, call))
      const rows = data.results.flatMap(rowsOf)
      const isOver = data.cursor === null
      if (rows.length === 0 && !isOver && pages < maxQuiet) {
        at = data.cursor
        continue
      }
      const summary =
        rows.length > 0 ? 'News, watch by watch.' : isOver ? 'Nothing is new.' : 'Nothing yet: more watches follow.'
      const totals = data.results.map(({ watchId, totals: counts, topicRise }) => ({ watchId, ...counts, topicRise }))
      return {
        summary,
        facts: { totals },
        ...pageAt({ ...position, at, skip: at === position.at ? position.skip : 0 }, rows, data.cursor),
      }
    }
  },
})
