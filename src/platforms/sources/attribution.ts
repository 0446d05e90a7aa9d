import type { FoundRequest, Page, Platform, PlatformsByName } from '../platform.ts'
import type { ListedSources } from './source-kinds.ts'

/**
 * Sets the source that limits a request's visibility; null if the operator lists it. Only if listed sources are on the
 * page may adapters return null themselves.
 * @throws Error without a source of the page: the request must not become public
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

/** Attributes the requests on each page to the account's source, or to none if the operator lists it. */
export const attributeSources = (platforms: PlatformsByName, listed: ListedSources): PlatformsByName => ({
  get: (name) => {
    const platform = platforms.get(name)
    return platform && attributing(platform, listed.get(name) ?? noSources)
  },
})
