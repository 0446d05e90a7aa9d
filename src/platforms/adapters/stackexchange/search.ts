import type { Clock } from '../../../runtime/clock.ts'
import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits, OpenBudget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { after } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import {
  asEpochSeconds,
  asFields,
  asId,
  asInteger,
  asList,
  asName,
  asPage,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
  readItems,
} from '../../content/fields.ts'
import { cleanTags, escapedTitle, htmlToPlainText } from '../../content/text.ts'
import {
  type FoundRequest,
  type Page,
  type PageRequest,
  type Platform,
  PlatformError,
  SourceRefusedError,
} from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'

export interface StackexchangeOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  /** `https://api.stackexchange.com/2.3`. */
  baseUrl: string
  /** A key from stackapps.com. It travels in the query string, which is why no query string is ever logged. */
  key?: string | undefined
  /** API site parameters; they take turns, one a page. */
  sites: readonly string[]
}

const pageSize = 100
/** Deeper pages need a key. */
const lastPageWithoutKey = 25
/** How long no request is sent after the quota is used up: see `correctBudget`. */
const probeAfterMs = 60 * 60 * 1000

/**
 * Rules: api.stackexchange.com/docs/throttle. Over 30 requests a second an address is banned; half of that is plenty. The quota
 * is renewed 24 hours after its first use (stackapps.com/q/10486).
 */
const stackexchangeLimits = (baseUrl: string, hasKey: boolean): BudgetLimits => ({
  name: new URL(baseUrl).host,
  windows: [{ limit: 15, windowMs: 1_000 }],
  // So that the topics of a live call do not stand in line; nothing asks for one at a time.
  concurrency: 3,
  quota: { limit: hasKey ? 10_000 : 300, periodEnd: (now) => new Date(now.getTime() + 24 * 60 * 60 * 1000) },
})

/**
 * Questions of the configured sites that match the topic (`GET /search/advanced`, by relevance). On meta sites only those
 * tagged `feature-request`. Other sites have no such tag: name one in the configuration only when its questions are
 * wishes by themselves, as on `softwarerecs`.
 */
export function createStackexchange({
  client,
  clock,
  openBudget,
  baseUrl,
  key,
  sites,
}: StackexchangeOptions): Platform {
  const budget = openBudget(stackexchangeLimits(baseUrl, key !== undefined))

  async function fetchSite(words: string, site: string, page: number, signal: AbortSignal): Promise<SourcePage> {
    const { body } = await client.getJson({
      platform: 'stackexchange',
      url: endpointUrl(baseUrl, '/search/advanced', {
        site,
        q: words,
        ...(isMeta(site) ? { tagged: 'feature-request' } : {}),
        filter: 'withbody',
        sort: 'relevance',
        order: 'desc',
        pagesize: pageSize,
        page,
        ...(key === undefined ? {} : { key }),
      }),
      budget,
      signal,
      readLimits: (answer) => correctBudget(budget, answer, clock.now()),
      readError: (answer) => stackexchangeError(answer, site, clock.now()),
    })
    const answer = asFields(body)
    const items = asList(answer?.items)
    if (!items)
      throw new PlatformError(
        'bad_response',
        'stackexchange answered without a list of items. Check STACKEXCHANGE_API_URL.',
      )
    const hasMore = items.length > 0 && answer?.has_more === true && (key !== undefined || page < lastPageWithoutKey)
    return {
      requests: await readItems(items, (question) => readQuestion(question, site)),
      nextCursor: hasMore ? { page: page + 1 } : null,
    }
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: sites,
      request,
      fetchFrom: (site, cursor) => fetchSite(words, site, asPage(cursor, 1), request.signal),
    })
  }

  return { name: 'stackexchange', fetchPage }
}

function isMeta(site: string): boolean {
  return site === 'meta' || site === 'stackapps' || site.startsWith('meta.') || site.endsWith('.meta')
}

function readQuestion(question: Fields, site: string): FoundRequest | null {
  const questionId = asId(question.question_id)
  if (questionId === null) return null
  // A deleted user has a name at most.
  const owner = asFields(question.owner)
  return foundRequest({
    // Numbers are only unique within their site.
    sourceId: `${site}:${questionId}`,
    sourceUrl: asWebUrl(question.link) ?? `https://${siteHost(site)}/q/${encodeURIComponent(questionId)}`,
    title: escapedTitle(asString(question.title) ?? ''),
    description: htmlToPlainText(asString(question.body) ?? ''),
    votes: asInteger(question.score) ?? 0,
    tags: cleanTags(asList(question.tags) ?? []),
    commentCount: asInteger(question.comment_count) ?? asInteger(question.answer_count),
    authorName: asName(escapedTitle(asString(owner?.display_name) ?? '')),
    authorHandle: asId(owner?.user_id),
    authorProfileUrl: asWebUrl(owner?.link),
    license: asName(question.content_license),
    originalCreatedAt: asEpochSeconds(question.creation_date),
  })
}

/** The rule by which Stack Exchange names its sites: `meta.stackoverflow`, `softwarerecs`, `mathoverflow.net`. */
function siteHost(site: string): string {
  if (site.endsWith('.net')) return site
  const hasOwnDomain = /(^|\.)(stackoverflow|serverfault|superuser|askubuntu|stackapps)$/.test(site)
  return hasOwnDomain ? `${site}.com` : `${site}.stackexchange.com`
}

/**
 * Every body says what is left of the quota and, as `backoff`, for how many seconds to rest. When the quota is renewed it
 * does not say, and others behind the same address may have begun it earlier: if nothing is left, one request asks after an
 * hour, and if that is still too early, the refusal names the time.
 */
async function correctBudget(budget: Budget, answer: Answer, now: Date): Promise<void> {
  const body = asFields(answer.body)
  const remaining = asInteger(body?.quota_remaining)
  if (remaining !== null) await budget.correctQuota({ remaining, resetsAt: after(now, probeAfterMs) }, now)
  const backoffSeconds = asInteger(body?.backoff) ?? 0
  if (backoffSeconds > 0) budget.pauseUntil(after(now, backoffSeconds * 1000))
}

const refusedKey = () =>
  new PlatformError('unauthorized', 'stackexchange refused the key. Check STACKEXCHANGE_API_KEY.')

/**
 * Errors come as HTTP 400 whatever they mean: the number in the body counts (api.stackexchange.com/docs/error-handling).
 */
function stackexchangeError(answer: Answer, site: string, now: Date): PlatformError | null {
  const body = asFields(answer.body)
  switch (asInteger(body?.error_id)) {
    case 400:
      // An unknown key is a bad parameter like any other; only the text tells it from an unknown site.
      if (/\bkey\b/.test(asString(body?.error_message) ?? '')) return refusedKey()
      return new SourceRefusedError(`stackexchange refused a parameter for "${site}". Check STACKEXCHANGE_SITES.`)
    case 404:
      return new PlatformError('bad_response', 'stackexchange knows no such method. Check STACKEXCHANGE_API_URL.')
    case 401:
    case 402:
    case 403:
    case 405:
    case 406:
      return refusedKey()
    case 502: {
      const seconds = /available in (\d+) second/.exec(asString(body?.error_message) ?? '')?.[1]
      const told = seconds === undefined ? null : after(now, Number(seconds) * 1000)
      const retryAt = cooldownAfterRefusal({}, now, told)
      return new PlatformError('rate_limited', 'stackexchange allows no more requests for now.', { retryAt })
    }
    case 500:
    case 503:
      return new PlatformError('unavailable', 'stackexchange is temporarily unavailable. Try again later.')
    default:
      return null
  }
}
