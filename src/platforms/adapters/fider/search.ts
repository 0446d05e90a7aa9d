import type { Budget } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { readItems, requiredList } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { type Page, type PageRequest, type Platform, PlatformError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { createNamedHosts } from '../named-hosts.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { checkSource } from '../source-check.ts'
import { readPost } from './post.ts'
import { boardName, fiderSources } from './source.ts'

export interface FiderOptions extends AdapterDependencies {
  /** Addresses of boards, searched round-robin; each is one page. */
  urls: readonly string[]
}

/** Fider's search accepts any limit and has no second page (app/services/sqlstore/postgres/post.go). */
const pageSize = 100
/** Maximum body of an account-named board during verification. */
const maxForeignBytes = 2 * 1024 * 1024

/** Fider has no rate limit, so this is deliberately gentle: every page is a full search. */
const windows = [{ limit: 20, windowMs: 60_000 }]

interface Host {
  budget: Budget
  isForeign: boolean
}

function fiderError({ status }: Answer, label: string, advice: string): PlatformError | null {
  if (status === 401 || status === 403)
    return new PlatformError('unauthorized', `${label} lets only members read. ${advice}`)
  if (status === 404 || status === 410)
    return new PlatformError('bad_response', `${label} is no Fider board. ${advice}`)
  return null
}

/**
 * Posts with any word of the topic, best match first (`GET /api/v1/posts?query=`), except `duplicate`, whose votes
 * Fider moves to the original. One page per board and no order by date: new posts are found among the best.
 */
export function createFider({ client, clock, openBudget, urls }: FiderOptions): Platform {
  const hostOf = createNamedHosts<Host>({
    clock,
    listed: urls.map(boardName),
    open: (name, isForeign) => ({
      budget: openBudget({ name, windows, concurrency: 1, isUnlisted: isForeign }),
      isForeign,
    }),
    budgetsOf: ({ budget }) => [budget],
    what: 'boards',
  })
  const listed = new Set(urls.map((url) => fiderSources.normalise(url)))

  async function readPosts(
    address: string,
    query: Record<string, string>,
    isNamed: boolean,
    signal: AbortSignal,
    maxBodyBytes?: number,
  ) {
    const { budget } = hostOf(boardName(address))
    const label = `fider (${boardName(address)})`
    const advice = isNamed ? 'Name another source.' : 'Check FIDER_URLS.'
    const { body } = await client.getJson({
      platform: 'fider',
      label,
      url: endpointUrl(address, '/api/v1/posts', query),
      budget,
      signal,
      isForeign: isNamed && !listed.has(address),
      ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
      readError: (answer) => fiderError(answer, label, advice),
    })
    return requiredList(body, { label, items: 'posts', variable: 'FIDER_URLS', advice })
  }

  async function fetchBoard(address: string, words: string, request: PageRequest): Promise<SourcePage> {
    const isNamed = request.sources !== undefined
    const query = { query: words, view: 'all', limit: String(pageSize) }
    const posts = await readPosts(address, query, isNamed, request.signal)
    const { requests, discarded } = await readItems(posts, (post) => readPost(address, post))
    return { requests, discarded, nextCursor: null }
  }

  return {
    name: 'fider',
    async fetchPage(request: PageRequest): Promise<Page | null> {
      // Fider drops all other characters of a query.
      const words = searchWords(request.topic).join(' ')
      if (!/[\p{L}\p{N}]/u.test(words)) return null
      const sources = request.sources ?? urls
      return fetchRoundRobin({
        sources,
        request,
        hostOf: boardName,
        fetchFrom: (address) => fetchBoard(address, words, request),
      })
    },
    verifySource: (source, signal) =>
      checkSource(() => readPosts(source, { limit: '1' }, true, signal, maxForeignBytes)),
  }
}
