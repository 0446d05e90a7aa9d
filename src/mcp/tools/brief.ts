import { Type } from 'typebox'
import type { components } from '../../../client/api.d.ts'
import { answerOf } from '../../../client/client.ts'
import type { Body, Data } from '../../../client/types.ts'
import { closed } from '../../http/schemas.ts'
import { count } from '../../runtime/count.ts'
import { formatMoment } from '../../runtime/dates.ts'
import { withStars } from '../../wishes/wish-words.ts'
import type { Answer, Row } from '../answer.ts'
import { pageAt, positionOf } from '../cursor.ts'
import { clip } from '../tokens.ts'
import { type Call, invalid, onceWith, tool } from '../tool.ts'
import { cursor, date, idempotencyKey } from './inputs.ts'
import { addressOf, dayOf, inLine, nameOf } from './requests.ts'

type Wish = components['schemas']['BriefWish'] | null
type Quote = components['schemas']['BriefQuote'] | null

/** Tokens of a quotation; those of briefs are shorter. */
const maxText = 260

/** A quotation's facts, besides its words. */
const quoteFacts = (quote: Quote) =>
  quote && { requestId: quote.requestId, votes: quote.votes, platform: quote.platform, postedAt: dayOf(quote.postedAt) }

const quoteForeign = (quote: Quote) =>
  quote && {
    text: clip(quote.text, maxText),
    author: nameOf(quote.author),
    url: addressOf(quote.sourceUrl),
    license: quote.license,
  }

/** A wish in a brief. @param number its position */
function rowOf(wish: Wish, number: number): Row {
  if (wish === null)
    return {
      facts: { number, isRemoved: true },
      foreign: {},
      line: `- ${number}. removed since: the request was deleted`,
    }
  const { wishId, votes, voices, requestCount, status, firstAskedAt, lastAskedAt, growth, platforms, quotes } = wish
  const title = nameOf(wish.title?.text ?? null)
  return {
    facts: {
      ...{ number, wishId, votes, stars: wish.title?.stars, voices, requests: requestCount, status, growth },
      platforms: platforms.map(({ platform, requests, votes: votesOf }) => ({ platform, requests, votes: votesOf })),
      firstAskedAt: dayOf(firstAskedAt),
      lastAskedAt: dayOf(lastAskedAt),
      quotes: quotes.map(quoteFacts),
    },
    foreign: { title, quotes: quotes.map(quoteForeign) },
    line: [
      `- ${number}. ${inLine(title)} (wishId ${wishId}, ${withStars(count(votes, 'vote'), wish.title?.stars, requestCount)}, ${count(voices, 'voice')}, ${count(requestCount, 'request')}, status ${status ?? 'unknown'})`,
      ...quotes.map((quote) =>
        quote === null
          ? '  (removed since)'
          : `  “${inLine(clip(quote.text, maxText))}” – ${inLine(nameOf(quote.author))}, ${addressOf(quote.sourceUrl) ?? ''}`,
      ),
    ].join('\n'),
  }
}

function answerOfBrief({ briefId, snapshot, removed, document }: Data<'readBrief'>, given: Given): Answer {
  const { wishes, settled, totals, leftOut, question, about } = document
  // The brief is made once; next pages are of the same one.
  const position = { briefId, ...(given.cursor === undefined ? {} : { cursor: given.cursor }) }
  const rows = [...wishes, ...settled].map((wish, at) => rowOf(wish, at + 1))
  return {
    summary: `Brief ${briefId} of ${formatMoment(document.asOf)}: the wishes by votes (of a topic those that say it first), ${wishes.length}, then those that are done or declined, ${settled.length}. Parts removed since: ${removed}.`,
    facts: {
      ...{ briefId, snapshot, removed, asOf: document.asOf, open: wishes.length, settled: settled.length },
      found: totals,
      leftOut: { wishes: leftOut.wishes, maybe: leftOut.maybe, unlikely: leftOut.unlikely },
    },
    foreign: {
      about: nameOf(about.query ?? about.topic),
      question: question && clip(question, maxText),
    },
    ...pageAt(positionOf('brief', position), rows, null),
  }
}

interface Given {
  briefId?: string
  topic?: string
  query?: string
  watchId?: string
  question?: string
  since?: string
  idempotencyKey?: string
  cursor?: string
}

async function makeBrief(given: Given, { client, signal }: Call): Promise<string> {
  const { topic, query, watchId, question, since } = given
  const body = { topic, query, watchId, question, ...(since === undefined ? {} : { period: { since } }) }
  const call = client.POST('/api/v1/briefs', {
    body: body as Body<'createBrief'>,
    params: onceWith(given.idempotencyKey),
    signal,
  })
  return (await answerOf(call)).data.briefId
}

export const brief = tool({
  name: 'brief',
  title: 'Evidence brief',
  description:
    'Answer what people want of something, with evidence: makes and stores a brief of a topic, a query or a watch, or reads one by briefId. Its wishes are in order of demand, with numbers and literal quotes. Quote nothing else. Costs nothing.',
  scope: 'collect',
  input: closed({
    briefId: Type.Optional(Type.String({ maxLength: 100, description: 'Read this one; with a cursor, too' })),
    topic: Type.Optional(Type.String({ minLength: 2, maxLength: 100 })),
    query: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    watchId: Type.Optional(Type.String({ maxLength: 100 })),
    question: Type.Optional(Type.String({ minLength: 1, maxLength: 300, description: 'What is to be decided' })),
    since: date('Only wishes asked for on this day, 2026-01-31, or later'),
    idempotencyKey,
    cursor,
  }),
  output: Type.Object({ briefId: Type.String(), snapshot: Type.String() }),
  async call(given, call) {
    const { briefId, topic, query, watchId } = given
    const subjects = [briefId, topic, query, watchId].filter((one) => one !== undefined)
    if (subjects.length !== 1) throw invalid('Give exactly one of briefId, topic, query and watchId.')
    if (given.cursor !== undefined && briefId === undefined)
      throw invalid('cursor: give the briefId of its answer, too.')
    const id = briefId ?? (await makeBrief(given, call))
    const params = { path: { briefId: id } }
    const { data } = await answerOf(call.client.GET('/api/v1/briefs/{briefId}', { params, signal: call.signal }))
    return answerOfBrief(data, given)
  },
})
