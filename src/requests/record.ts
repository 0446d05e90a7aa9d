import { type RawBuilder, type Selectable, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { requestStatuses, type Standing, standings } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import type { Tables } from '../database/tables.ts'
import { named } from '../http/openapi-components.ts'
import { closed, defaulted, moment, nullable, oneOf } from '../http/schemas.ts'
import { isShown, requestColumns, sharedView, standingIn, type View } from './view.ts'
import { type WishOfRequest, wishColumn } from './wish-numbers/membership.ts'

/** In SQL what `hashIdentity` (`identity.ts`) gives for the id of a row of `requests` on its platform. */
const sourceHash = sql`encode(sha256(convert_to(requests.platform, 'UTF8') || '\\x00696400'::bytea
  || convert_to(requests.source_id, 'UTF8')), 'hex')`

/**
 * SQL: whether the operator or the view's account corrected the row. One index probe per row, if anything was
 * corrected. The view of an account with corrections always names it.
 */
const isCorrected = ({ account }: View): RawBuilder<boolean> =>
  sql<boolean>`case when exists (select from request_corrections) then
    exists (select from request_corrections as correction where correction.source_hash = ${sourceHash}
    and ${account === null ? sql`correction.account_id is null` : sql`(correction.account_id is null or correction.account_id = ${account}::uuid)`})
    else false end`

/** The maximum length of a description in lists and searches, in code points. */
const excerptLength = 2_000
/** How many characters to read to tell whether a text is longer than its excerpt. */
const excerptProbe = excerptLength + 1

/** How far before the limit to look for the end of a word; scripts without spaces are cut at the limit. */
const wordSearch = 100

/** Cuts a description at the end of a word. @param text at least its first `excerptProbe` code points */
export function excerptOf(text: string): { description: string; descriptionTruncated: boolean } {
  // A code point has at least one UTF-16 unit, so this text is not longer than the excerpt.
  if (text.length <= excerptLength) return { description: text, descriptionTruncated: false }
  const characters = Array.from(text.slice(0, 2 * excerptProbe))
  if (characters.length <= excerptLength) return { description: text, descriptionTruncated: false }
  const shown = characters.slice(0, excerptLength).join('')
  // If the next character is white space, the last word is complete.
  const endsWord = /^\s/u.test(characters[excerptLength]!)
  const lastSpace = endsWord ? -1 : shown.search(/\s\S*$/u)
  const end = lastSpace < shown.length - wordSearch ? shown.length : lastSpace
  return { description: shown.slice(0, end).trimEnd(), descriptionTruncated: true }
}

/** How likely it is a request, as the caller sees it. */
export const likelihoods = ['likely', 'maybe', 'unlikely'] as const

export type Likelihood = (typeof likelihoods)[number]

const likelihoodOf = (standing: Standing): Likelihood =>
  standing === standings.likely ? 'likely' : standing === standings.maybe ? 'maybe' : 'unlikely'

/** A wish's imported requests, which no public number counts. */
export const ownAsks = closed(
  {
    asks: Type.Integer(),
    votes: Type.Integer(),
    voices: Type.Optional(Type.Integer({ description: 'How many people asked; where the wish has `voices`' })),
  },
  {
    ...named('OwnAsks'),
    description:
      'What was imported of the wish and you see: beside the public numbers, never in them; null where nothing was',
  },
)

/** The wish of a request, in every answer. */
export const wishOfRequest = closed(
  {
    wishId: Type.String({ description: 'Identifier of the wish: the requests that ask for the same' }),
    requestCount: Type.Integer({ description: 'How many likely requests it has, without imported ones' }),
    votes: Type.Integer({ description: 'The sum of their votes' }),
    own: nullable(ownAsks),
  },
  named('WishOfRequest'),
)

/** A feature request in the API. Unknown values are null, never invented. */
export const requestRecord = closed(
  {
    _id: Type.String({ description: 'Identifier of the request' }),
    title: Type.String(),
    description: Type.String({
      description: 'Plain text, its beginning in lists and searches; empty when there is none',
    }),
    descriptionTruncated: Type.Boolean({
      description: 'Whether `description` is only the beginning: the request by its id, or `fullText`, has the whole',
    }),
    votes: Type.Integer({ description: 'Votes, reactions or score, as the platform counts them' }),
    tags: Type.Array(Type.String()),
    commentCount: nullable(Type.Integer()),
    stars: nullable(
      Type.Integer({
        minimum: 1,
        maximum: 5,
        description: 'How its author rates the whole product, where a platform asks',
      }),
    ),
    sourcePlatform: Type.String({ description: 'Platform identifier' }),
    sourceUrl: Type.String({ description: 'Where it was posted' }),
    topic: Type.String({ description: 'The topic that found it first, or made it visible to all' }),
    topics: Type.Array(Type.String(), { description: 'Every topic that found it' }),
    authorName: nullable(Type.String()),
    authorHandle: nullable(Type.String()),
    authorProfileUrl: nullable(Type.String()),
    license: nullable(Type.String({ description: 'The licence of the content, where the platform states one' })),
    originalCreatedAt: nullable(moment('When it was posted, by the platform')),
    createdAt: moment('When it entered the cache, or became visible to all'),
    updatedAt: moment('When it last changed in the cache'),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: 'The probability that it is a feature request' }),
    likelihood: oneOf(likelihoods, {
      description:
        'Its class as your account sees it, corrections included: likely, maybe or unlikely a feature request',
    }),
    corrected: Type.Boolean({
      description: 'Whether your account or the operator said whether it is a feature request',
    }),
    status: nullable(
      oneOf(requestStatuses, {
        description:
          'What became of it on its platform; `closed` does not say why; null where the platform has no status',
      }),
    ),
    statusChangedAt: nullable(moment('When its status changed')),
    statusObserved: Type.Boolean({
      description: '`statusChangedAt` is when the change was observed, because the platform gives no date',
    }),
    excerpt: Type.Boolean({ description: 'The platform gave only a part of the text, and that is all that is stored' }),
    sourceName: nullable(
      Type.String({
        description: 'The repository, project, site, forum category, community or video it was posted in',
      }),
    ),
    product: nullable(
      Type.String({
        description:
          'The product that it is about, by its source: the tracker, the community, the forum or the site, in lower case; null where the source is of no single product',
      }),
    ),
    wish: nullable(wishOfRequest),
  },
  named('Request'),
)

export type RequestRecord = Static<typeof requestRecord>

/** The parameter for whole texts in lists and searches. */
export const fullTextParameter = defaulted(
  Type.Boolean({
    default: false,
    description: `Whole descriptions instead of the first ${excerptLength.toLocaleString('en-US')} characters`,
  }),
)

const shownColumns = [
  'id',
  'title',
  'votes',
  'tags',
  'comment_count',
  'stars',
  'platform',
  'source_url',
  'topic',
  'author_name',
  'author_handle',
  'author_profile_url',
  'license',
  'original_created_at',
  'created_at',
  'updated_at',
  'confidence',
  'status',
  'status_changed_at',
  'status_observed',
  'excerpt',
  'source_name',
  'product',
] as const satisfies readonly (keyof Tables['requests'])[]

/** The columns that `toRecord` needs, with topic names. */
export type RequestRow = Selectable<Pick<Tables['requests'], (typeof shownColumns)[number] | 'description'>> & {
  topics: string[] | null
  standing: Standing
  corrected: boolean
  wish: WishOfRequest | null
}

/** SQL on `requests`: the names of the row's topics; the one that found it first comes first. */
const topicNames = sql<string[] | null>`(
  select array_agg(topics.name order by request_topics.found_at, topics.key)
  from request_topics join topics on topics.key = request_topics.topic_key
  where request_topics.request_id = requests.id)`

/** Whether to read whole descriptions or excerpts. */
export interface TextChoice {
  fullText: boolean
}

export interface RecordChoice extends TextChoice {
  /** The reader's; defaults to the shared view. */
  view?: View | undefined
}

/** SQL on `requests`: the columns of a `RequestRow`. Without `fullText`, long texts are cut in the database. */
export const recordColumns = ({ fullText, view = sharedView }: RecordChoice): RawBuilder<unknown> => {
  const description = fullText ? sql`requests.description` : sql`left(requests.description, ${sql.lit(excerptProbe)})`
  const columns = shownColumns.map((column) => sql.ref(`requests.${column}`))
  return sql`${sql.join(columns)}, ${description} as description, ${topicNames} as topics,
    ${standingIn(view, requestColumns)} as standing, ${isCorrected(view)} as corrected,
    ${wishColumn(view)} as wish`
}

/** @param row as `recordColumns` gives it with the same choice */
export const toRecord = (row: RequestRow, { fullText }: TextChoice): RequestRecord => ({
  _id: row.id,
  title: row.title,
  ...(fullText ? { description: row.description, descriptionTruncated: false } : excerptOf(row.description)),
  votes: row.votes,
  tags: row.tags,
  commentCount: row.comment_count,
  stars: row.stars,
  sourcePlatform: row.platform,
  sourceUrl: row.source_url,
  topic: row.topic,
  topics: row.topics ?? [],
  authorName: row.author_name,
  authorHandle: row.author_handle,
  authorProfileUrl: row.author_profile_url,
  license: row.license,
  originalCreatedAt: row.original_created_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  confidence: row.confidence,
  likelihood: likelihoodOf(row.standing),
  corrected: row.corrected,
  status: row.status,
  statusChangedAt: row.status_changed_at?.toISOString() ?? null,
  statusObserved: row.status_observed,
  excerpt: row.excerpt,
  sourceName: row.source_name,
  product: row.product,
  wish: row.wish,
})

/** Reads the requests with these ids that the view shows, in the given order; deleted ones are omitted. */
export async function readRequests(
  executor: Executor,
  ids: readonly string[],
  choice: TextChoice & { view: View },
): Promise<RequestRecord[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<RequestRow>`
    select ${recordColumns(choice)} from requests
    where id = any(${[...ids]}::uuid[]) and ${isShown(choice.view, requestColumns)}`.execute(executor)
  const records = new Map(rows.map((row) => [row.id, toRecord(row, choice)]))
  return ids.flatMap((id) => records.get(id) ?? [])
}
