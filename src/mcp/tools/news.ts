import { Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import { closed } from '../../http/schemas.ts'
import type { Row } from '../answer.ts'
import { pageAt, readCursor } from '../cursor.ts'
import { clip } from '../tokens.ts'
import { type Data, tool } from '../tool.ts'
import { cursor, date } from './inputs.ts'
import { inLine, nameOf } from './requests.ts'

type OfWatch = Data<'readNews'>['results'][number]

/** How the API names what happened, and how a row does. */
const changes = {
  newWishes: 'new',
  grown: 'grown',
  completed: 'completed',
  declined: 'declined',
  other: 'other',
} as const

/** Of the text of a wish, in tokens. */
const maxExcerpt = 60

function rowOf(change: string, item: OfWatch['newWishes'][number], { watchId, watchName }: OfWatch): Row {
  const { wishId, requestId, votes, votesGained, requestsGained, platforms, status } = item
  const title = nameOf(item.title)
  return {
    facts: { change, watchId, wishId, requestId, votes, votesGained, requestsGained, platforms, status },
    foreign: { title, excerpt: clip(item.excerpt, maxExcerpt), watch: nameOf(watchName) },
    line: `- ${change}: ${inLine(title)} (wishId ${wishId}, ${votes} votes, ${votesGained} gained)`,
  }
}

export const news = tool({
  name: 'news',
  title: 'News of watches',
  description:
    'What is new, grew, was completed or declined in the watched topics since news were last marked as read, or since a day. `other` does not fit the goal of its watch. Costs nothing.',
  scope: 'read',
  input: closed({
    watchId: Type.Optional(Type.String({ maxLength: 100 })),
    since: date('Reports of this day, 2026-01-31, or later'),
    cursor,
  }),
  output: closed({}),
  async call({ watchId, since, cursor: given }, { client, signal }) {
    const position = readCursor(given)
    const query = {
      // The news of a watch are up to 250.
      limit: 1,
      ...(watchId === undefined ? {} : { watchId }),
      ...(since === undefined ? {} : { since }),
      ...(position.at === null ? {} : { cursor: String(position.at) }),
    }
    const { data } = await answerOf(client.GET('/api/v1/news', { params: { query }, signal }))
    const rows = data.results.flatMap((ofWatch) =>
      Object.entries(changes).flatMap(([list, change]) =>
        ofWatch[list as keyof typeof changes].map((item) => rowOf(change, item, ofWatch)),
      ),
    )
    const summary = rows.length === 0 ? 'Nothing is new.' : 'News, watch by watch.'
    return { summary, ...pageAt(position, rows, data.cursor) }
  },
})
