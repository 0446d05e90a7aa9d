import { type Static, Type } from 'typebox'
import { answerOf } from '../../../client/client.ts'
import type { Body, Data, Query } from '../../../client/types.ts'
import { requestStatuses } from '../../database/column-types.ts'
import { closed, oneOf } from '../../http/schemas.ts'
import { count } from '../../runtime/count.ts'
import { withStars } from '../../wishes/wish-words.ts'
import type { Answer, Row } from '../answer.ts'
import { pageAt, positionOf } from '../cursor.ts'
import { clip } from '../tokens.ts'
import { type Call, invalid, tool } from '../tool.ts'
import { cursor, date, platforms } from './inputs.ts'
import { addressOf, dayOf, inLine, nameOf } from './requests.ts'

const input = closed({
  query: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Words, "phrases", -exclusions; without it, all wishes' }),
  ),
  topic: Type.Optional(Type.String({ description: 'Only of this collected topic, see overview' })),
  platforms,
  status: Type.Optional(Type.Array(oneOf(requestStatuses), { minItems: 1 })),
  minVotes: Type.Optional(Type.Integer()),
  since: date('Posted on or after this day, 2026-01-31'),
  until: date('Posted before this day'),
  sortBy: Type.Optional(
    oneOf(['relevance', 'votes', 'new', 'growing'], {
      description: 'By default relevance with a query (then not growing), else votes',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 10 })),
  inPart: Type.Optional(
    Type.Boolean({ description: 'With a query: after what has all of its words also what has some', default: false }),
  ),
  cursor,
})
type Input = Static<typeof input>
type Wish = Data<'listWishes'>['results'][number]
type Found = Pick<
  Wish,
  'title' | 'requestCount' | 'votes' | 'own' | 'platforms' | 'product' | 'status' | 'firstAskedAt' | 'lastAskedAt'
> & {
  wishId: string | null
  /** Not counted by searches. */
  voices?: number
  best: Wish['topRequest']
}

const maxExcerpt = 90

function rowOf({ best, ...wish }: Found): Row {
  const { wishId, votes, requestCount, voices, own, status, platforms: found } = wish
  const title = nameOf(wish.title)
  const beside = own === null ? '' : `, ${count(own.asks, 'own ask')} with ${count(own.votes, 'vote')}`
  const id = wishId === null ? `requestId ${best._id}` : `wishId ${wishId}`
  return {
    facts: {
      ...(wishId === null ? { requestId: best._id } : { wishId }),
      ...{ votes, ...(best.stars && { stars: best.stars }) },
      requests: requestCount,
      ...(voices === undefined ? {} : { voices }),
      ...(own === null ? {} : { own }),
      status,
      platforms: found,
      firstAskedAt: dayOf(wish.firstAskedAt),
      lastAskedAt: dayOf(wish.lastAskedAt),
    },
    foreign: {
      title,
      product: nameOf(wish.product),
      excerpt: clip(best.description, maxExcerpt),
      url: addressOf(best.sourceUrl),
    },
    line: `- ${inLine(title)} (${id}, ${withStars(count(votes, 'vote'), best.stars, requestCount)}, ${count(requestCount, 'request')}${beside}, ${status ?? 'no status'}, ${found.join(' ')})`,
  }
}

/** Unparsed: the service checks platforms, dates and topics, and explains errors. */
const filtersOf = ({ topic, platforms, status, minVotes, since, until }: Input) =>
  Object.fromEntries(
    Object.entries({ topic, platforms, status, minVotes, since, until }).filter(([, value]) => value !== undefined),
  )

const hintOf = (isEmpty: boolean, isLimited: boolean): string => {
  if (isEmpty) return ' Fewer words find more; collect gets new ones.'
  return isLimited ? ' Only the first 100 wishes can be read: narrow the search.' : ''
}

/** Searches return no more results. */
const maxResults = 100

async function searchWishes(input: Input, { client, signal }: Call): Promise<Answer> {
  const { query, limit = 10, sortBy, inPart = false } = input
  if (sortBy === 'growing') throw invalid('sortBy: growing is only without a query.')
  const position = positionOf('search', input)
  const offset = Number(position.at ?? 0)
  const body = { query, limit, offset, sortBy, groupBy: 'wish', total: true, inPart: true, filters: filtersOf(input) }
  const call = client.POST('/api/v1/requests/search', { body: body as Body<'searchRequests'>, signal })
  const { data, meta } = await answerOf(call)
  // Full matches come first, so a page with others is the last.
  const found = data.results.flatMap((result) =>
    'bestMatch' in result && (inPart || result.hasAllWords) ? [{ ...result, best: result.bestMatch }] : [],
  )
  const isCut = found.length < data.results.length
  const next = data.hasMore && !isCut && offset + limit < maxResults ? offset + limit : null
  const [total, some] = [meta.total ?? 0, meta.inPart ?? 0]
  return {
    summary: `${total === 0 ? 'No request matches' : `${count(total, 'request')} ${total === 1 ? 'matches' : 'match'}, grouped by wish`}${some === 0 || inPart ? '' : `; inPart lists ${some} more with some of the words, but not all`}.${hintOf(found.length === 0, data.limitReached && !isCut)}`,
    facts: { matchingRequests: total, matchingInPart: some, limitReached: data.limitReached && !isCut },
    ...pageAt(position, found.map(rowOf), next),
  }
}

async function listWishes(input: Input, { client, signal }: Call): Promise<Answer> {
  const { limit = 10, sortBy = 'votes' } = input
  const position = positionOf('search', input)
  const query = {
    ...filtersOf(input),
    ...{ limit, sortBy: sortBy === 'relevance' ? 'votes' : sortBy },
    ...(position.at === null ? {} : { cursor: String(position.at) }),
  }
  const { data } = await answerOf(
    client.GET('/api/v1/wishes', { params: { query: query as Query<'listWishes'> }, signal }),
  )
  const rows = data.results.map((wish) => rowOf({ ...wish, best: wish.topRequest }))
  const summary = rows.length === 0 ? 'No wish is stored that fits. collect gets new ones.' : 'Wishes, as sorted.'
  return { summary, ...pageAt(position, rows, data.cursor) }
}

export const search = tool({
  name: 'search',
  title: 'Search wishes',
  description:
    'Find what people ask for, among the stored feature requests. Each result is a wish: all requests that ask for the same. Costs nothing.',
  scope: 'read',
  input,
  output: closed({
    matchingRequests: Type.Optional(Type.Integer()),
    matchingInPart: Type.Optional(Type.Integer()),
    limitReached: Type.Optional(Type.Boolean()),
  }),
  call: (given, call) => (given.query === undefined ? listWishes(given, call) : searchWishes(given, call)),
})
