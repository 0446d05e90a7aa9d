import { Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import type { Data } from '../../../client/types.ts'
import { closed } from '../../http/schemas.ts'
import { count } from '../../runtime/count.ts'
import { formatDay } from '../../runtime/dates.ts'
import { pageAt, positionOf } from '../cursor.ts'
import { tool } from '../tool.ts'
import { cursor } from './inputs.ts'
import { dayOf, inLine, nameOf } from './requests.ts'

const rowOf = (topic: Data<'listTopics'>['results'][number]) => {
  const { requests, votes, growth } = topic
  const name = nameOf(topic.topic)
  return {
    facts: { requests, votes, newIn30Days: growth.days30, lastCollectedAt: dayOf(topic.lastCollectedAt) },
    foreign: { topic: name },
    line: `- ${inLine(name)} (${count(requests, 'request')}, ${count(votes, 'vote')}, collected ${formatDay(topic.lastCollectedAt)})`,
  }
}

export const overview = tool({
  name: 'overview',
  title: 'Topics and credits',
  description: 'See what topics are collected already, and how many credits are left. Costs nothing.',
  scope: 'read',
  input: closed({
    query: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Part of the name of a topic' })),
    cursor,
  }),
  output: Type.Object({
    creditsLeft: Type.Integer(),
    creditsHeld: Type.Integer(),
    creditsResetAt: Type.String(),
    scope: Type.String(),
  }),
  async call(given, { client, signal }) {
    const { query: words } = given
    const position = positionOf('overview', given)
    const query = {
      limit: 50,
      ...(words === undefined ? {} : { query: words }),
      ...(position.at === null ? {} : { cursor: String(position.at) }),
    }
    const usage = (await answerOf(client.GET('/api/v1/usage', { signal }))).data
    const { data } = await answerOf(client.GET('/api/v1/topics', { params: { query }, signal }))
    const { remaining, held, limit, resetsAt } = usage.credits
    const creditsLeft = remaining + usage.paygBalance
    return {
      summary: `${count(creditsLeft, 'credit')} left of the account (${remaining} of ${limit} this month, ${usage.paygBalance} bought); this key may have fewer. Topics, the last collected first:`,
      facts: { creditsLeft, creditsHeld: held, creditsResetAt: resetsAt, scope: usage.scope },
      ...pageAt(position, data.results.map(rowOf), data.cursor),
    }
  },
})
