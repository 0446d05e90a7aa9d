import { cooldownAfterRefusal, correctByHeaders } from '../../budget/announced-limits.ts'
import type { Budget } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asDate, asFields, asId, asInteger, asList, asString, type Fields } from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { headerEpochSeconds } from '../../headers.ts'
import { type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { quotedWords } from '../../topic-words.ts'
import { isoSecond, reachesOlder } from '../newest-first.ts'
import { readXPost, usersById } from './post.ts'

/** docs.x.com, "Rate limits". */
const limitHeaders = { remaining: 'x-rate-limit-remaining', reset: 'x-rate-limit-reset' }

function correctXBudget(budget: Budget, { headers }: Answer, now: Date): void {
  correctByHeaders(budget, headers, limitHeaders, now)
}

/** Errors are problem documents `{title, detail, type, status?}` (docs.x.com, "Response codes and errors"). */
function xError(answer: Answer, now: Date): PlatformError | null {
  const { status, headers } = answer
  if (status < 400 || status >= 500) return null
  const body = asFields(answer.body)
  if (status === 402 || ((status === 403 || status === 429) && isSpent(body))) {
    const advice = 'Buy credits or raise the spending limit at console.x.com.'
    return new PlatformError('quota_exhausted', `x lets this account read no more posts. ${advice}`)
  }
  if (status === 400) return new PlatformError('bad_response', 'x refused the query (400).')
  if (status === 401) return new PlatformError('unauthorized', 'x refused the token. Check X_BEARER_TOKEN.')
  // Without JSON it is X's front end, which refuses the address, not the app.
  if (status === 403 && body) {
    const advice = 'Check that the app of X_BEARER_TOKEN belongs to a project with access to the API.'
    return new PlatformError('unauthorized', `x does not let this app search. ${advice}`)
  }
  if (status !== 429) return null
  const retryAt = cooldownAfterRefusal(headers, now, headerEpochSeconds(headers, limitHeaders.reset, now))
  return new PlatformError('rate_limited', 'x allows no more searches for now.', { retryAt })
}

/**
 * Credit, spending limit or monthly cap is used up, so waiting is useless: type `…/problems/usage-capped`
 * (xdevplatform/xdk#25) or `…/problems/credits`, title `UsageCapExceeded`, `CreditsDepleted` or `SpendCapReached`; the
 * status varies.
 */
function isSpent(body: Fields | null): boolean {
  const words = [body?.type, body?.title, body?.detail].map((part) => asString(part) ?? '').join(' ')
  return /usage[- ]?cap|\bcredits|spend[- ]?cap|spending limit/i.test(words)
}

export interface XOptions extends AdapterDependencies {
  baseUrl: string
  bearerToken?: string | undefined
}

const pageSize = 100
/** Maximum characters, except for enterprise (docs.x.com, "Build a query"). */
const queryLimit = 512
/** Includes replies, where people often write wishes. Retweets only repeat posts, and X would bill each. */
const wishes = '("feature request" OR "I wish" OR "would be nice if" OR "please add") -is:retweet'
/** 450 requests in 15 minutes per app (docs.x.com, "Rate limits"); answers state it if a plan has fewer. */
const window = { limit: 450, windowMs: 900_000 }

/** How far back recent search reaches. X refuses an earlier start, so a start close to that is omitted. */
const reachMs = 7 * 86_400_000
const reachMarginMs = 3_600_000
/** A start must precede the end, by default 30 seconds ago. */
const youngestMs = 120_000

/**
 * Posts of the last seven days with every word of the topic and a phrase above (`GET /tweets/search/recent`, newest
 * first, 100 a page). X bills every post and author in an answer: never prefetch pages.
 */
export function createX({ client, clock, openBudget, baseUrl, bearerToken }: XOptions): Platform {
  const budget = openBudget({ name: new URL(baseUrl).host, windows: [window], concurrency: 1 })

  async function fetchPage({ topic, cursor, signal, newestSince }: PageRequest): Promise<Page | null> {
    if (bearerToken === undefined) throw new PlatformError('not_configured', 'x needs X_BEARER_TOKEN.')
    const query = xQuery(topic)
    if (query === null) return null

    const token = asId(asFields(cursor)?.token)
    // A token belongs to its first page's parameters.
    const start = token === null ? startTime(newestSince, clock.now()) : asString(asFields(cursor)?.start)
    const { body } = await client.getJson({
      platform: 'x',
      url: endpointUrl(baseUrl, '/tweets/search/recent', searchParameters(query, token, start)),
      headers: { authorization: `Bearer ${bearerToken}` },
      budget,
      signal,
      readLimits: (answer) => correctXBudget(budget, answer, clock.now()),
      readError: (answer) => xError(answer, clock.now()),
    })
    const answer = asFields(body)
    const posts = requiredList(postsOf(answer), { label: 'x', items: 'posts', variable: 'X_API_URL' })
    const users = usersById(asFields(answer?.includes)?.users)
    const { requests, discarded } = await readItems(posts, (post) => readXPost(post, users))
    const isOver = reachesOlder(posts, (post) => asDate(post.created_at), newestSince)
    const next = isOver ? null : tokenAfter(asFields(answer?.meta), token)
    return { requests, discarded, nextCursor: next && { token: next, ...(start === null ? {} : { start }) } }
  }

  return { name: 'x', fetchPage }
}

/** @returns null if the topic has no words */
export function xQuery(topic: string): string | null {
  const words = quotedWords(topic, queryLimit - wishes.length - 1)
  return words === '' ? null : `${words} ${wishes}`
}

/** Null without `since`, and if search does not reach back that far. */
function startTime(since: Date | null | undefined, now: Date): string | null {
  if (!since || now.getTime() - since.getTime() > reachMs - reachMarginMs) return null
  return isoSecond(new Date(Math.min(since.getTime(), now.getTime() - youngestMs)))
}

function searchParameters(query: string, token: string | null, start: string | null): Record<string, string | number> {
  return {
    query,
    max_results: pageSize,
    'tweet.fields': 'author_id,created_at,entities,note_tweet,public_metrics,referenced_tweets,withheld',
    expansions: 'author_id',
    'user.fields': 'name,username,protected,withheld',
    ...(start === null ? {} : { start_time: start }),
    ...(token === null ? {} : { next_token: token }),
  }
}

/** Without matches there is no `data` at all; `errors` next to it concern single users or posts. */
function postsOf(answer: Fields | null): unknown[] | null {
  const isEmpty = (answer?.data ?? null) === null && asInteger(asFields(answer?.meta)?.result_count) === 0
  return isEmpty ? [] : asList(answer?.data)
}

/** A repeated token would fetch the same page, and X would bill it again. */
function tokenAfter(meta: Fields | null, sent: string | null): string | null {
  const token = asId(meta?.next_token)
  return token === sent ? null : token
}
