import { type Static, Type } from 'typebox'
import { requestStatuses } from '../../database/column-types.ts'
import { named } from '../../http/openapi-components.ts'
import { closed, moment, nullable, oneOf, trimmedText } from '../../http/schemas.ts'
import { estimate } from '../../requests/accuracy/schemas.ts'
import { platformVotes, wishProperties } from '../../wishes/list/summary.ts'
import { givenView, listView } from '../pages/view.ts'

/** A quotation in a brief, with its origin. */
export const briefQuote = closed(
  {
    text: Type.String({ description: 'Word for word from the title or the description of the request' }),
    isWhole: Type.Boolean({ description: 'False where the sentence goes on' }),
    requestId: Type.String(),
    votes: Type.Integer(),
    stars: Type.Optional(Type.Integer({ description: 'Of 5: those of a review' })),
    author: nullable(Type.String()),
    authorUrl: nullable(Type.String()),
    postedAt: nullable(moment('By the platform')),
    platform: Type.String(),
    sourceName: nullable(Type.String()),
    sourceUrl: Type.String(),
    license: nullable(Type.String()),
  },
  named('BriefQuote'),
)

export type BriefQuote = Static<typeof briefQuote>

const briefStatus = closed({
  status: oneOf(requestStatuses),
  changedAt: nullable(moment('When it got it')),
  isObserved: Type.Boolean({ description: 'The platform gives no date: it is when the change was seen' }),
  requestId: Type.String(),
  platform: Type.String(),
  sourceUrl: Type.String(),
})

const { wishId, votes, voices, authors, crossPosts, requestCount, status, firstAskedAt, lastAskedAt, growth } =
  wishProperties

export const briefWish = closed(
  {
    ...{ wishId, votes, voices, authors, crossPosts, requestCount },
    isTagOnly: Type.Optional(
      Type.Literal(true, {
        description: 'The topic is a tag of it, and stands in neither title nor text: it comes after the others',
      }),
    ),
    title: nullable(briefQuote),
    sharedTitle: Type.Optional(nullable(briefQuote)),
    platforms: Type.Array(platformVotes),
    ...{ firstAskedAt, lastAskedAt, growth, status },
    statusFrom: nullable(briefStatus),
    settledRequests: Type.Optional(
      closed(
        { completed: Type.Integer(), declined: Type.Integer() },
        { description: 'How many of its requests are, where the wish itself is neither' },
      ),
    ),
    quotes: Type.Array(nullable(briefQuote)),
    unquoted: Type.Integer({
      description: 'How many requests are on platforms whose texts are not passed on: a share leaves their words out',
    }),
  },
  named('BriefWish'),
)

export type BriefWish = Static<typeof briefWish>

const count = (description: string) => Type.Integer({ description })

/** Everything that a brief says. */
export const briefDocument = closed(
  {
    asOf: moment('The state that it was made of'),
    question: nullable(Type.String()),
    about: closed({
      topic: nullable(Type.String()),
      query: nullable(Type.String()),
      searched: nullable(Type.String({ description: 'The query without slips, where that was searched' })),
      filters: nullable(givenView),
      since: nullable(Type.String()),
      until: nullable(Type.String()),
    }),
    totals: closed({
      wishes: count('That were found, at most 100'),
      hasMoreWishes: Type.Boolean(),
      requests: count('Likely requests'),
      requestsAreExact: Type.Boolean({ description: 'False: there are more' }),
      inPart: Type.Optional(
        count('Likely requests that have some of the words of the query, but not all: nothing else counts them'),
      ),
      inPartIsExact: Type.Optional(Type.Boolean({ description: 'False: there are more' })),
    }),
    wishes: Type.Array(nullable(briefWish), { description: 'That are not done, in order of demand' }),
    settled: Type.Array(nullable(briefWish), { description: 'That were completed or declined, in order of demand' }),
    leftOut: closed({
      wishes: count('With less demand'),
      maybe: count('Texts that may be requests'),
      unlikely: count('Texts that are probably none'),
      unquotedPlatforms: Type.Array(Type.String(), {
        description: 'Whose texts are for the account alone: a share leaves them out',
      }),
    }),
    votesAre: Type.Optional(
      Type.Array(closed({ platform: Type.String(), votesAre: Type.String() }), {
        description: 'What a vote is, where a wish has some',
      }),
    ),
    accuracy: Type.Optional(closed({ shown: estimate, hidden: estimate })),
  },
  named('BriefDocument'),
)

export type BriefDocument = Static<typeof briefDocument>

export const newBrief = closed(
  {
    topic: Type.Optional(trimmedText(2, 100, 'A topic that has requests')),
    query: Type.Optional(trimmedText(1, 500, 'As in a search')),
    filters: Type.Optional(listView.properties.filters),
    watchId: Type.Optional(Type.String({ maxLength: 100, description: 'Its topic, with its filters' })),
    question: Type.Optional(trimmedText(1, 300, 'What is to be decided: it stands above the brief')),
    period: Type.Optional(
      closed(
        { since: listView.properties.filters.properties.since, until: listView.properties.filters.properties.until },
        { description: 'Only wishes that were asked for in it; their numbers are those of all time' },
      ),
    ),
  },
  { description: 'One of `topic`, `query` and `watchId`; `filters` alone or with a topic or a query' },
)

export type NewBrief = Static<typeof newBrief>

export const briefSummary = closed(
  {
    briefId: Type.String(),
    snapshot: Type.String({ description: 'Names the state that it was made of: SHA-256 of all that it said then' }),
    request: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'As it was given',
    }),
    removed: Type.Integer({
      description: 'How many of its texts and wishes are gone since, because their request was deleted',
    }),
    createdAt: moment('When it was made'),
  },
  named('BriefSummary'),
)

export const brief = closed({ ...briefSummary.properties, document: briefDocument })

export type Brief = Static<typeof brief>

/** The result of verifying a brief's file. */
export const verification = closed({
  verdict: oneOf(['intact', 'changed', 'unknown'], {
    description:
      '`intact`: it is what was made, but for what is `removed` since; `changed`: something else stands in it; `unknown`: it names no brief of the account',
  }),
  briefId: nullable(Type.String()),
  snapshot: nullable(Type.String({ description: 'That the file names' })),
  changes: Type.Array(
    closed({
      line: count('Of the file, from 1'),
      made: Type.String({ description: 'What stood there when it was made' }),
      file: Type.String({ description: 'What stands there in the file' }),
    }),
    { description: 'The first 50' },
  ),
  removed: count(
    'How many texts and wishes are gone since, because their request was deleted: the file should not have them any more',
  ),
  noLongerHolds: Type.Array(
    closed({
      what: oneOf(['wish', 'votes', 'requests', 'status', 'quote'], {
        description: '`wish`: it is no wish of its own any more; `quote`: the request says it no more, or is hidden',
      }),
      wishId: Type.String(),
      requestId: nullable(Type.String()),
      was: nullable(Type.String()),
      now: nullable(Type.String()),
    }),
    { description: 'What the brief says and is different now' },
  ),
})

export type Verification = Static<typeof verification>
