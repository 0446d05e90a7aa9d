import { Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import type { Data } from '../../../client/types.ts'
import { closed } from '../../http/schemas.ts'
import { count } from '../../runtime/count.ts'
import { settledInWords, withStars } from '../../wishes/wish-words.ts'
import type { Answer } from '../answer.ts'
import { pageAt, positionOf } from '../cursor.ts'
import { type Call, invalid, tool } from '../tool.ts'
import { cursor } from './inputs.ts'
import { dayOf, nameOf, requestRow } from './requests.ts'

type Wish = Data<'readWish'>

/** Tokens of a request's text: in a list, and alone. */
const [maxText, maxWholeText] = [260, 1_600]
const maxOthers = 5

const factsOf = (wish: Wish) => ({
  wishId: wish.wishId,
  votes: wish.votes,
  requests: wish.requestCount,
  voices: wish.voices,
  own: wish.own,
  crossPosts: wish.crossPosts,
  status: wish.status,
  statuses: wish.statuses,
  platforms: wish.votesByPlatform.map(({ platform, requests, votes }) => ({ platform, requests, votes })),
  firstAskedAt: dayOf(wish.firstAskedAt),
  lastAskedAt: dayOf(wish.lastAskedAt),
  growth: wish.growth,
  mark: wish.mark?.mark ?? null,
  possiblySame: wish.possiblySame
    .slice(0, maxOthers)
    .map(({ wishId, votes, similarity }) => ({ wishId, votes, similarity })),
})

const foreignOf = (wish: Wish) => ({
  title: nameOf(wish.title),
  products: wish.products.slice(0, maxOthers).map(({ product }) => nameOf(product)),
  topics: wish.topics.slice(0, maxOthers).map(({ topic }) => nameOf(topic)),
  possiblySame: wish.possiblySame.slice(0, maxOthers).map(({ title }) => nameOf(title)),
})

async function readWish(given: { wishId: string; cursor?: string }, { client, signal }: Call): Promise<Answer> {
  const { wishId } = given
  const position = positionOf('wish', given)
  const query = { limit: 20, ...(position.at === null ? {} : { cursor: String(position.at) }) }
  const { data } = await answerOf(
    client.GET('/api/v1/wishes/{wishId}', { params: { path: { wishId }, query }, signal }),
  )
  const { requestCount, votes, voices, own, members } = data
  const beside = own === null ? '' : ` Beside them: ${count(own.asks, 'own ask')} with ${count(own.votes, 'vote')}.`
  const first = `Wish ${wishId}: ${count(votes, 'vote')}, ${count(requestCount, 'request')} of ${count(voices, 'voice')}, the most voted first.`
  const rows = members.results.map((request) => {
    const row = requestRow(request, maxText)
    return { ...row, line: `${row.line}: ${row.foreign.text}` }
  })
  return {
    summary: `${[first, ...settledInWords(data)].join(' ')}${beside}`,
    facts: factsOf(data),
    foreign: foreignOf(data),
    ...pageAt(position, rows, members.cursor),
  }
}

async function readRequest(requestId: string, { client, signal }: Call): Promise<Answer> {
  const { data } = await answerOf(
    client.GET('/api/v1/requests/{requestId}', { params: { path: { requestId } }, signal }),
  )
  const { facts, foreign } = requestRow(data, maxWholeText)
  const wishId = data.wish?.wishId ?? null
  const of = wishId === null ? 'in no wish' : `of wish ${wishId}`
  const votes = withStars(count(data.votes, 'vote'), data.stars)
  return { summary: `Request ${requestId}, ${votes}, ${of}.`, facts: { ...facts, wishId }, foreign }
}

export const wish = tool({
  name: 'wish',
  title: 'Read a wish',
  description: 'Read a wish with its requests in their own words, or one request in full. Give one id. Costs nothing.',
  scope: 'read',
  input: closed({
    wishId: Type.Optional(Type.String({ maxLength: 100 })),
    requestId: Type.Optional(Type.String({ maxLength: 100 })),
    cursor,
  }),
  output: Type.Object({
    wishId: Type.Union([Type.String(), Type.Null()]),
    votes: Type.Integer(),
    status: Type.Union([Type.String(), Type.Null()]),
  }),
  call: (given, call) => {
    const { wishId, requestId } = given
    if (wishId !== undefined && requestId === undefined) return readWish({ ...given, wishId }, call)
    if (requestId !== undefined && wishId === undefined) return readRequest(requestId, call)
    throw invalid('Give either wishId or requestId.')
  },
})
