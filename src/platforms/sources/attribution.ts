import type { FoundRequest, Page, Platform, PlatformsByName } from '../platform.ts'
import type { ListedSources } from './source-kinds.ts'

/**
 * The source of an account that a request was found in, which decides who may see it; null for a source that the operator lists. An
 * adapter may say null itself only where the page is of listed sources too.
 * @throws Error for a request without one of the sources of the page: it must not become visible to all.
 */
function attribute(request: FoundRequest, sources: readonly string[], listed: ReadonlySet<string>): FoundRequest {
  const source = request.ownSource ?? (sources.length === 1 ? sources[0] : undefined)
  if (source === undefined && sources.some((one) => listed.has(one))) return request
  if (source === undefined || !sources.includes(source)) throw new Error('a request has no source of its page')
  return { ...request, ownSource: listed.has(source) ? null : source }
}

const noSources: ReadonlySet<string> = new Set()

function attributing(platform: Platform, listed: ReadonlySet<string>): Platform {
  const fetchPage: Platform['fetchPage'] = async (request) => {
    const page = await platform.fetchPage(request)
    const { sources } = request
    if (page === null || sources === undefined) return page
    const attributed = (requests: FoundRequest[]) => requests.map((found) => attribute(found, sources, listed))
    const result: Page = { ...page, requests: attributed(page.requests) }
    if (page.incomplete) result.incomplete = attributed(page.incomplete)
    if (page.offTopic) result.offTopic = attributed(page.offTopic)
    return result
  }
  return { ...platform, fetchPage }
}

/** The same platforms, with pages that say of each request of sources of an account whether the operator lists its source. */
export const attributeSources = (platforms: PlatformsByName, listed: ListedSources): PlatformsByName => ({
  get: (name) => {
    const platform = platforms.get(name)
    return platform && attributing(platform, listed.get(name) ?? noSources)
  },
})
