import type { Executor } from '../database/open.ts'
import type { PlatformClient } from '../platforms/client/client.ts'
import type { Platform, PlatformsByName } from '../platforms/platform.ts'
import type { SearchIndex, SearchInput, TotalsOfSearch } from '../requests/search/search-index.ts'
import type { Traces } from './traces.ts'

// Parts of the service with the same behaviour, whose work is in traces.

/** A client with a span for each call to a platform. */
export const tracedClient = (client: PlatformClient, traces: Traces): PlatformClient => ({
  ...client,
  getJson: (request) =>
    traces.during('platform request', { platform: request.platform }, () => client.getJson(request)),
})

const tracedPlatform = (platform: Platform, traces: Traces): Platform => ({
  ...platform,
  fetchPage: (request) => traces.during('fetch page', { platform: platform.name }, () => platform.fetchPage(request)),
})

/** Platforms with a span for each page that a task fetches. */
export const tracedPlatforms = (platforms: PlatformsByName, traces: Traces): PlatformsByName => ({
  get: (name) => {
    const platform = platforms.get(name)
    return platform && tracedPlatform(platform, traces)
  },
})

/** A search index with a span for each search and its totals. */
export const tracedSearch = (index: SearchIndex, traces: Traces): SearchIndex =>
  Object.assign(Object.create(index) as SearchIndex, {
    search: (executor: Executor, input: SearchInput) =>
      traces.during('search', { engine: index.kind, step: 'search' }, () => index.search(executor, input)),
    totals: (executor: Executor, input: TotalsOfSearch) =>
      traces.during('search', { engine: index.kind, step: 'totals' }, () => index.totals(executor, input)),
  })
