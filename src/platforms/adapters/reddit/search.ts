import type { Discarded } from '../../../database/column-types.ts'
import { createAccessTokens, withToken } from '../../client/access-token.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asId, asPage, type Fields, readItems } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { type Json, type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { quotedWords } from '../quoted-words.ts'
import { requiredList } from '../required-list.ts'
import { wishPhrases } from '../wish-phrases.ts'
import { correctRedditBudget, redditError } from './errors.ts'
import { isEscapedListing, readRedditPost } from './post.ts'
import { createRedditTokens, redditAgentPrefix } from './token.ts'

export interface RedditOptions extends AdapterDependencies {
  /** `https://oauth.reddit.com`. */
  baseUrl: string
  tokenUrl: string
  clientId?: string | undefined
  clientSecret?: string | undefined
}

const pageSize = 100
/** A listing ends after about 1,000 posts (praw, listing/generator.py). */
const lastPage = 10
/** Of `q`, in characters (reddit.com/dev/api, "search"). */
const queryLimit = 512
/** A flair is a community's label of a post; in communities without one for wishes, people use these phrases. */
const wishes = `(flair:"feature request" OR ${wishPhrases.map((phrase) => `"${phrase}"`).join(' OR ')})`

/** 100 requests a minute for each application, averaged over ten minutes (support.reddithelp.com 16160319875092). */
const window = { limit: 1_000, windowMs: 600_000 }

/**
 * Posts of all public communities with every word of the topic and a flair or phrase of a wish (`GET /search`, by relevance,
 * 100 a page, 10 pages at most). Only with an application that Reddit has approved: since 2025 nothing is open to anonymous
 * callers.
 */
export function createReddit(options: RedditOptions): Platform {
  const { client, clock, openBudget, baseUrl, tokenUrl, clientId, clientSecret } = options
  const budget = openBudget({ name: new URL(baseUrl).host, windows: [window], concurrency: 1 })
  const credentials = clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret }
  const tokens = credentials
    ? createAccessTokens(clock, createRedditTokens({ client, clock, openBudget, tokenUrl, ...credentials }))
    : null

  function searchWithToken(token: string, parameters: Record<string, string>, signal: AbortSignal): Promise<Answer> {
    return client.getJson({
      platform: 'reddit',
      url: endpointUrl(baseUrl, '/search', parameters),
      headers: { authorization: `Bearer ${token}` },
      agentPrefix: redditAgentPrefix(clientId),
      budget,
      signal,
      readLimits: (answer) => correctRedditBudget(budget, answer, clock.now()),
      readError: (answer) => redditError(answer, clock.now()),
    })
  }

  async function fetchPage({ topic, cursor, signal }: PageRequest): Promise<Page | null> {
    if (!tokens) {
      throw new PlatformError('not_configured', 'reddit needs REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET.')
    }
    const query = redditQuery(topic)
    const page = asPage(cursor, 1)
    if (query === null || page > lastPage) return null

    const after = asId(asFields(cursor)?.after)
    const { body } = await withToken(tokens, (token) =>
      searchWithToken(token, searchParameters(query, after, page), signal),
    )
    const listing = asFields(asFields(body)?.data)
    const list = { label: 'reddit', items: 'posts', variable: 'REDDIT_API_URL' }
    const children = requiredList(listing?.children, list)
    const isEscaped = isEscapedListing(children)
    const discarded: Discarded = {}
    const requests = await readItems(children, (child) => readRedditPost(child, isEscaped), discarded)
    return { requests, discarded, nextCursor: children.length === 0 ? null : cursorAfter(listing!, after, page) }
  }

  return { name: 'reddit', fetchPage }
}

/** @returns null when the topic has no words to search for. */
export function redditQuery(topic: string): string | null {
  const words = quotedWords(topic, queryLimit - wishes.length - 1)
  return words === '' ? null : `${words} ${wishes}`
}

function searchParameters(query: string, after: string | null, page: number): Record<string, string> {
  return {
    q: query,
    sort: 'relevance',
    t: 'all',
    type: 'link',
    limit: String(pageSize),
    // Without it `&`, `<` and `>` come escaped.
    raw_json: '1',
    ...(after === null ? {} : { after, count: String((page - 1) * pageSize) }),
  }
}

/** A listing whose cursor is the one that was sent would repeat for ever. */
function cursorAfter(listing: Fields, sent: string | null, page: number): Json {
  const after = asId(listing.after)
  return after === null || after === sent || page >= lastPage ? null : { after, page: page + 1 }
}
