import { asEpochSeconds, asPage } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import {
  byHandle,
  type Page,
  type PageRequest,
  type Platform,
  type Refresh,
  SourceRefusedError,
  unreadable,
} from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { epochSecond, reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import {
  type CallSite,
  createSiteCalls,
  isMissing,
  itemsOf,
  listedInJob,
  listedInVariable,
  type StackexchangeOptions,
} from './api.ts'
import { readQuestion } from './post.ts'

/** Maximum ids per call (api.stackexchange.com/docs/questions-by-ids). */
const maxQuestions = 100

/** Deleted questions are left out, or a 404 if none is left. Neither says why, so both are `missing`. */
function createRefresh(callSite: CallSite): Refresh {
  return {
    maxHandles: maxQuestions,
    groupOf: siteOf,
    async read(handles, signal) {
      const site = siteOf(handles[0] ?? '')
      if (site === '') return unreadable(handles)
      const ids = handles.map((handle) => handle.slice(site.length + 1)).join(';')
      try {
        const wrapper = await callSite({
          path: `/questions/${ids}`,
          site,
          listedIn: listedInVariable,
          // Default `pagesize` is 30.
          parameters: { filter: 'withbody', sort: 'activity', order: 'desc', pagesize: maxQuestions },
          signal,
          returnsMissing: handles.length === 1,
        })
        if (isMissing(wrapper)) return handles.map((handle) => ({ handle, state: 'missing' }))
        const { requests } = await readItems(itemsOf(wrapper), (question) => readQuestion(question, site))
        return byHandle(handles, requests, () => 'missing')
      } catch (error) {
        if (error instanceof SourceRefusedError) return unreadable(handles)
        throw error
      }
    },
  }
}

/** Site of a handle `<site>:<question id>`; "" for other text. */
const siteOf = (handle: string): string => /^([\w.-]+):\d+$/.exec(handle)?.[1] ?? ''

const pageSize = 100
/** Later pages need a key. */
const lastPageWithoutKey = 25

/**
 * Questions that match the topic, including closed ones (`GET /search/advanced`, by relevance). Meta sites are limited
 * to the tag `feature-request`; configure other sites only if their questions are wishes, as on `softwarerecs`.
 */
export function createStackexchange(options: StackexchangeOptions): Platform {
  const { key, sites } = options
  const callSite = createSiteCalls(options)

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const { topic, sources, signal, newestSince: since } = request
    const words = searchWords(topic).join(' ')
    if (words === '') return null
    const listedIn = sources ? listedInJob : listedInVariable
    return fetchRoundRobin({
      sources: sources ?? sites,
      request,
      fetchFrom: async (site, cursor) => {
        const hasKey = key !== undefined
        return fetchSite(callSite, { words, site, listedIn, page: asPage(cursor, 1), hasKey, signal, since })
      },
    })
  }

  return {
    name: 'stackexchange',
    fetchPage,
    verifySource: (site, signal) => verifySite(callSite, site, signal),
    refresh: createRefresh(callSite),
  }
}

interface SiteSearch {
  words: string
  site: string
  listedIn: string
  page: number
  hasKey: boolean
  signal: AbortSignal
  since: Date | null | undefined
}

async function fetchSite(
  callSite: CallSite,
  { words, site, listedIn, page, hasKey, signal, since }: SiteSearch,
): Promise<SourcePage> {
  const answer = await callSite({
    path: '/search/advanced',
    site,
    listedIn,
    parameters: {
      q: words,
      ...(isMeta(site) ? { tagged: 'feature-request' } : {}),
      filter: 'withbody',
      sort: since ? 'creation' : 'relevance',
      order: 'desc',
      // `fromdate` means creation, whatever the order.
      ...(since ? { fromdate: epochSecond(since) } : {}),
      pagesize: pageSize,
      page,
    },
    signal,
  })
  const items = itemsOf(answer)
  const hasMore = items.length > 0 && answer?.has_more === true && (hasKey || page < lastPageWithoutKey)
  const isOver = reachesOlder(items, (question) => asEpochSeconds(question.creation_date), since)
  const { requests, discarded } = await readItems(items, (question) => readQuestion(question, site))
  return {
    requests,
    discarded,
    nextCursor: hasMore && !isOver ? { page: page + 1 } : null,
  }
}

/** `GET /info` costs one request of the quota, a list of all sites four. All sites of this API are public. */
async function verifySite(callSite: CallSite, site: string, signal: AbortSignal): Promise<void> {
  const answer = await callSite({ path: '/info', site, listedIn: listedInJob, parameters: {}, signal })
  if (itemsOf(answer).length === 0) throw new SourceRefusedError(`stackexchange has no site "${site}".`)
}

function isMeta(site: string): boolean {
  return site === 'meta' || site === 'stackapps' || site.startsWith('meta.') || /\.meta(?:\.|$)/.test(site)
}
