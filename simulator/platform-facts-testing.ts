import type { SimulatedPlatformName } from './platforms/index.ts'

/** What the tests of all platforms need of each one, apart from its simulation. */
export interface PlatformFacts {
  /** A search that has results, below the base address. */
  searchPath: string
  /** The status with which it refuses credentials. */
  unauthorizedStatus: number
  /** Records of a topic that fill several pages, and no more: pages rotate through several sources, or have 100 records. */
  severalPages: number
  /** Where a page takes several requests: how many there are until the first page, and the path of those that deliver pages. */
  pageRequests?: { untilFirst: number; path: string }
}

/** Complete by its type: a platform without its facts is an error of the type checker. */
export const platformFacts: Record<SimulatedPlatformName, PlatformFacts> = {
  github: { searchPath: '/search/issues?q=dark+mode', unauthorizedStatus: 401, severalPages: 110 },
  hackernews: { searchPath: '/search?query=dark+mode', unauthorizedStatus: 403, severalPages: 24 },
  stackexchange: {
    searchPath: '/search/advanced?q=dark+mode&site=meta',
    unauthorizedStatus: 400,
    severalPages: 24,
  },
  reddit: { searchPath: '/search?q=dark+mode', unauthorizedStatus: 401, severalPages: 110 },
  x: { searchPath: '/tweets/search/recent?query=dark+mode', unauthorizedStatus: 401, severalPages: 110 },
  youtube: {
    searchPath: '/search?q=dark+mode&part=snippet&key=k',
    unauthorizedStatus: 400,
    severalPages: 110,
    // It first searches for videos, then reads their comments.
    pageRequests: { untilFirst: 2, path: '/commentThreads' },
  },
  gitlab: {
    searchPath: '/projects/quillbox%2Fdesk/issues?search=dark+mode',
    unauthorizedStatus: 401,
    severalPages: 24,
  },
  bluesky: { searchPath: '/app.bsky.feed.searchPosts?q=dark+mode', unauthorizedStatus: 401, severalPages: 24 },
  discourse: { searchPath: '/meadow/search.json?q=dark+mode', unauthorizedStatus: 403, severalPages: 60 },
  fider: { searchPath: '/garden/api/v1/posts?query=dark+mode', unauthorizedStatus: 401, severalPages: 60 },
  rss: { searchPath: '/news.xml', unauthorizedStatus: 401, severalPages: 24 },
  appstore: {
    searchPath: '/us/rss/customerreviews/page=1/id=900000001/sortby=mostrecent/json',
    unauthorizedStatus: 403,
    severalPages: 40,
  },
  board: { searchPath: '/ideas?q=dark+mode', unauthorizedStatus: 401, severalPages: 50 },
  lemmy: { searchPath: '/pebble/api/v3/search?q=dark+mode', unauthorizedStatus: 400, severalPages: 24 },
}
