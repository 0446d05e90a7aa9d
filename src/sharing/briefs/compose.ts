import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database, Executor } from '../../database/open.ts'
import type { Account } from '../../http/callers.ts'
import { importPlatform, publicPagesOf, publicTextPlatforms, votesOf } from '../../platforms/registry.ts'
import { readAccuracy } from '../../requests/accuracy/labels.ts'
import { type RequestRecord, readRequests } from '../../requests/record.ts'
import { type View, viewOf } from '../../requests/view.ts'
import { membersIn } from '../../requests/wish-numbers/membership.ts'
import { plainQuery } from '../../search/query.ts'
import type { SearchIndex } from '../../search/search-index.ts'
import type { WishSummary } from '../../wishes/list/summary.ts'
import { readInWords } from '../../wishes/topics/in-words.ts'
import { isSettled } from '../../wishes/wish-words.ts'
import { readView } from '../pages/view.ts'
import { type About, countTexts } from './about.ts'
import { createParts, joinParts, type Part } from './parts.ts'
import { quoteOf, tellingSentence, titleQuote } from './quotes.ts'
import type { BriefDocument, BriefQuote, BriefWish } from './schemas.ts'
import { toldStatuses } from './wish-blocks.ts'

/** The most unsettled and settled wishes shown: a brief is a readable page, not a list. */
export const [shownWishes, shownSettled] = [15, 10]
/** The most quotations of a wish, and the most voted requests that they are chosen from. */
const [maxQuotes, maxQuoted] = [3, 12]

interface Evidence {
  platforms: BriefWish['platforms']
  records: RequestRecord[]
  /** The most voted request whose texts may be passed on; null if none. */
  passedOn: RequestRecord | null
  statusFrom: BriefWish['statusFrom']
  settledRequests: NonNullable<BriefWish['settledRequests']>
}

interface EvidenceRow {
  id: string
  platforms: { platform: PlatformName; requests: number; votes: number }[]
  quoted: string[]
  passed_on: string | null
  told: string | null
  completed: number
  declined: number
}

/** Reads per wish its platforms, the requests to quote, and the one that its status comes from. */
async function readEvidence(
  executor: Executor,
  wishes: readonly WishSummary[],
  view: View,
): Promise<Map<string, Evidence>> {
  const { rows } = await sql<EvidenceRow>`
    with wish as (
      select * from unnest(${wishes.map(({ wishId }) => wishId)}::uuid[], ${wishes.map(({ status }) => status ?? '')}::text[]) as wish (id, status)
    ), member as materialized (
      select wish.id as wish_id, wish.status as wish_status, member.request_id, member.platform, member.votes, member.status
      from wish cross join lateral (${membersIn(view, sql.ref('wish.id'))}) as member
      where platform <> ${importPlatform}
    )
    select wish.id,
      (select json_agg(json_build_object('platform', platform, 'requests', requests, 'votes', votes) order by votes desc, requests desc, platform)
        from (select platform, count(*) as requests, sum(votes::bigint) as votes from member where wish_id = wish.id group by platform) as counted) as platforms,
      array(select request_id from member where wish_id = wish.id order by votes desc, request_id limit ${sql.lit(maxQuoted)}) as quoted,
      (select request_id from member where wish_id = wish.id and platform = any(${[...publicTextPlatforms]}::text[])
        order by votes desc, request_id limit 1) as passed_on,
      (select request_id from member where wish_id = wish.id and status = wish_status and status = any(${[...toldStatuses]}::text[])
        order by votes desc, request_id limit 1) as told,
      (select count(*)::int from member where wish_id = wish.id and status = 'completed') as completed,
      (select count(*)::int from member where wish_id = wish.id and status = 'declined') as declined
    from wish`.execute(executor)
  const ids = rows
    .flatMap(({ quoted, passed_on: passedOn, told }) => [...quoted, passedOn, told])
    .filter((id) => id !== null)
  const records = await readRequests(executor, [...new Set(ids)], { fullText: false, view: { ...view, least: 2 } })
  const recordOf = new Map(records.map((record) => [record._id, record]))
  return new Map(
    rows.map(({ id, platforms, quoted, passed_on: passedOn, told, completed, declined }) => [
      id,
      {
        platforms: platforms.map((one) => ({ ...one, votesAre: votesOf(one.platform) })),
        records: quoted.flatMap((requestId) => recordOf.get(requestId) ?? []),
        passedOn: (passedOn !== null && recordOf.get(passedOn)) || null,
        statusFrom: told === null ? null : statusFrom(recordOf.get(told)),
        settledRequests: { completed, declined },
      },
    ]),
  )
}

const statusFrom = (record: RequestRecord | undefined): BriefWish['statusFrom'] =>
  record?.status
    ? {
        status: record.status,
        changedAt: record.statusChangedAt,
        isObserved: record.statusObserved,
        requestId: record._id,
        platform: record.sourcePlatform,
        sourceUrl: record.sourceUrl,
      }
    : null

const speakerOf = ({ authorHandle, authorName, sourcePlatform, _id }: RequestRecord) =>
  (authorHandle ?? authorName) ? `${sourcePlatform} ${authorHandle ?? authorName}` : _id

/** Up to `maxQuotes` sentences, by different people and in different words. */
function chooseQuotes(records: readonly RequestRecord[]): BriefQuote[] {
  const quotes: BriefQuote[] = []
  const [speakers, texts] = [new Set<string>(), new Set<string>()]
  for (const record of records) {
    if (quotes.length >= maxQuotes) break
    const sentence = speakers.has(speakerOf(record)) ? null : tellingSentence(record)
    if (sentence === null || texts.has(sentence.text)) continue
    speakers.add(speakerOf(record))
    texts.add(sentence.text)
    quotes.push(quoteOf(record, sentence))
  }
  return quotes
}

const isPassedOn = (platform: string) => publicPagesOf(platform as PlatformName).show === 'texts'

/** The wish's title, from its top request or else from another visible one. */
function titleOf({ topRequest }: WishSummary, records: readonly RequestRecord[]): BriefQuote | null {
  for (const record of [topRequest, ...records]) {
    const title = titleQuote(record)
    if (title !== null) return title
  }
  return null
}

const unquotedOf = (platforms: BriefWish['platforms']): number =>
  platforms.reduce((sum, { platform, requests }) => sum + (isPassedOn(platform) ? 0 : requests), 0)

/** Whether some requests were settled, but not the wish. */
const isPartlySettled = (wish: WishSummary, { completed, declined }: Evidence['settledRequests']) =>
  completed + declined > 0 && !isSettled(wish)

type Parts = ReturnType<typeof createParts>

function toWish(
  wish: WishSummary,
  { platforms, records, passedOn, statusFrom: told, settledRequests }: Evidence,
  { parts, isTagOnly }: { parts: Parts; isTagOnly: boolean },
): BriefWish | null {
  const { topRequest, title: _title, platforms: _platforms, product: _product, own: _own, ...numbers } = wish
  const isAlone = wish.requestCount === 1
  // Everything said of a single request's wish depends on that request.
  const part = <Content extends { requestId: string } | null>(content: Content) =>
    content === null || isAlone ? content : parts.of([content.requestId], content)
  const title = titleOf(wish, records)
  const sharedTitle = title === null || isPassedOn(title.platform) || passedOn === null ? null : titleQuote(passedOn)
  const made: BriefWish = {
    ...numbers,
    ...(isTagOnly && { isTagOnly }),
    ...(isPartlySettled(wish, settledRequests) && { settledRequests }),
    title: part(title),
    ...(sharedTitle !== null && { sharedTitle: part(sharedTitle) }),
    platforms,
    statusFrom: part(told),
    quotes: chooseQuotes(records).map(part),
    unquoted: unquotedOf(platforms),
  }
  return isAlone ? parts.of([topRequest._id], made) : made
}

/** Fewer stars mean that more is amiss; 6 without stars. */
const starsOf = ({ topRequest }: WishSummary): number => topRequest.stars ?? 6

/** Most wanted first: by votes, number of people, stars of its request, then the latest ask. */
const byDemand = (one: WishSummary, other: WishSummary): number =>
  other.votes - one.votes ||
  other.voices - one.voices ||
  starsOf(one) - starsOf(other) ||
  (one.lastAskedAt < other.lastAskedAt ? 1 : -1) ||
  (one.wishId < other.wishId ? -1 : 1)

export interface ComposeDependencies {
  database: Database
  searchIndex: SearchIndex
}

export interface ComposeInput {
  account: Pick<Account, 'accountId' | 'hasOwnView'>
  about: About
  question: string | null
  now: Date
}

export interface Composed {
  /** With references instead of parts. */
  head: BriefDocument
  parts: readonly Part[]
}

/** Composes a brief of the current state, as the account sees it. Writes nothing. */
export async function composeBrief(input: ComposeInput, dependencies: ComposeDependencies): Promise<Composed> {
  const { account, about, question, now } = input
  const { database } = dependencies
  const { wishes: listed, hasMore, searched } = await readView(about.view, { ...account, now }, dependencies)
  const { mark: _, starred: _starred, ...filters } = about.view.filters ?? {}
  const { topic } = filters
  // In a long list, wishes that mention the topic may not be among the most voted.
  const saying =
    topic === undefined || !hasMore || searched !== null
      ? []
      : (await readView({ query: plainQuery(topic), filters }, { ...account, now }, dependencies)).wishes
  const wishes = [...new Map([...saying, ...listed].map((wish) => [wish.wishId, wish])).values()]
  const ids = wishes.map(({ wishId }) => wishId)
  const inWords =
    topic === undefined ? new Set(ids) : await readInWords(database, ids, { topic, view: viewOf(account) })
  const isTagOnly = ({ wishId }: WishSummary) => !inWords.has(wishId)
  const found = wishes.sort((one, other) => Number(isTagOnly(one)) - Number(isTagOnly(other)) || byDemand(one, other))
  const wanted = found.filter((wish) => !isSettled(wish)).slice(0, shownWishes)
  const settled = found.filter(isSettled).slice(0, shownSettled)
  const shown = [...wanted, ...settled]
  const evidence = await readEvidence(database, shown, viewOf(account))
  const parts = createParts()
  const toWishes = (wishes: readonly WishSummary[]) =>
    wishes.flatMap((wish) => {
      const of = evidence.get(wish.wishId)
      return of === undefined ? [] : [toWish(wish, of, { parts, isTagOnly: isTagOnly(wish) })]
    })
  const inPart = searched && (await dependencies.searchIndex.inPart(database, searched))
  const counts = await countTexts(about.view, searched, account, dependencies)
  const { shown: shownTexts, hidden } = await readAccuracy(database, account.accountId)
  const platforms = [...new Set(shown.flatMap((wish) => wish.platforms))].sort() as PlatformName[]
  const head: BriefDocument = {
    asOf: now.toISOString(),
    question,
    about: {
      ...about.shown,
      searched: searched === null || searched.query === about.view.query ? null : searched.query,
    },
    totals: {
      wishes: found.length,
      hasMoreWishes: hasMore,
      requests: counts.likely,
      requestsAreExact: counts.isExact,
      ...(inPart !== null && { inPart: inPart.total, inPartIsExact: inPart.totalIsExact }),
    },
    wishes: toWishes(wanted),
    settled: toWishes(settled),
    leftOut: {
      wishes: found.length - shown.length,
      maybe: counts.maybe,
      unlikely: counts.unlikely,
      unquotedPlatforms: platforms.filter((name) => !isPassedOn(name)),
    },
    votesAre: platforms.flatMap((platform) => {
      const votesAre = votesOf(platform)
      return votesAre === null ? [] : [{ platform, votesAre }]
    }),
    accuracy: { shown: shownTexts, hidden },
  }
  return { head, parts: parts.parts }
}

/** The composed document with its parts. */
export const wholeDocument = ({ head, parts }: Composed): BriefDocument =>
  joinParts(head, new Map(parts.map(({ content }, part) => [part, content]))) as BriefDocument
