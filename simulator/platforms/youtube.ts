import { type Answer, changeBody, readAnswers } from '../answers.ts'
import { since } from '../finding.ts'
import { acceptedNumber, pageAt, quoted, withParameters } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import written from './youtube.json' with { type: 'json' }
import { commentIdOf, commentThread, searchResult } from './youtube-item.ts'
import { findThreads, findThreadsById, findVideos, findWishes, ordered, stateOfVideo } from './youtube-records.ts'

const answers = readAnswers(written.answers)
const searchesPerDay = 100
const unitsPerDay = 10_000
const hourMs = 3_600_000
/** A search ends after so many videos. */
const reachableVideos = 500
const largestIds = 50
/** The sizes of a page by the method, which is its path. */
const pageSizes: Record<string, { usual: number; maximum: number }> = {
  '/search': { usual: 5, maximum: 50 },
  '/commentThreads': { usual: 20, maximum: 100 },
}

const pacificHour = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hour: 'numeric',
  hourCycle: 'h23',
})

/** The next full hour that is midnight in California. */
function pacificMidnightAfter(now: number): number {
  let hour = (Math.floor(now / hourMs) + 1) * hourMs
  while (Number(pacificHour.format(hour)) !== 0) hour += hourMs
  return hour
}

const tokenOf = (offset: number): string => Buffer.from(`offset ${offset}`).toString('base64url')

/** Where a page begins; null for a token that was never given out. */
function offsetOf({ parameters }: SearchRequest): number | null {
  const token = parameters.get('pageToken')
  if (token === null) return 0
  const offset = /^offset (\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString())?.[1]
  return offset === undefined ? null : Number(offset)
}

const pageSize = ({ path, parameters }: SearchRequest): number | null =>
  acceptedNumber(parameters.get('maxResults'), pageSizes[path] ?? { usual: 1, maximum: 1 })

const badRequest = (reason: string, message: string): Answer => answers.badRequest({ reason, message })

function refusedParameter(request: SearchRequest): Answer | null {
  const { parameters } = request
  if (!parameters.get('key')) return answers.noKey()
  if (!parameters.get('part')) return badRequest('missingRequiredParameter', 'Missing required parameter: part')
  if (pageSize(request) === null) return badRequest('invalidValue', 'Values of maxResults must be within the range.')
  if (offsetOf(request) !== null) return null
  return badRequest('invalidPageToken', 'The request specifies an invalid page token.')
}

/** All elements of a list, of which a page is shown. */
type All = readonly unknown[]

const isPlain = (parameters: URLSearchParams) => parameters.get('textFormat') === 'plainText'

/** A call by ids, beside which YouTube accepts neither a page nor an order. */
function threadsById(parameters: URLSearchParams, ids: string[], { corpus }: SearchContext): All | Answer {
  const refused = ['maxResults', 'pageToken', 'order', 'searchTerms'].find((name) => parameters.has(name))
  if (refused !== undefined) return badRequest('incompatibleParameters', `Incompatible parameters: id, ${refused}`)
  if (ids.length > largestIds) return badRequest('invalidFilters', 'The request specifies too many ids.')
  return findThreadsById(corpus, ids).map(([thread, videoId]) => commentThread(thread, videoId, isPlain(parameters)))
}

function videos({ parameters }: SearchRequest, { corpus }: SearchContext): All {
  const found = findVideos(corpus, parameters.get('q') ?? '').filter(since(parameters.get('publishedAfter')))
  return ordered(found, parameters.get('order') === 'date')
    .slice(0, reachableVideos)
    .map(searchResult)
}

function threads({ parameters }: SearchRequest, context: SearchContext): All | Answer {
  const { corpus, behaviours } = context
  const ids = parameters.get('id')
  if (ids) return threadsById(parameters, ids.split(','), context)
  const videoId = parameters.get('videoId')
  if (!videoId) return badRequest('missingRequiredParameter', 'No filter selected. Expected one of: videoId, id')
  const state = stateOfVideo(corpus, videoId)
  if (state !== 'open') return answers[state]()
  const terms = behaviours.youtube.searchTerms === 'ignored' ? null : parameters.get('searchTerms')
  const found = ordered(findThreads(corpus, videoId, terms ?? ''), parameters.get('order') === 'time')
  return found.map((thread) => commentThread(thread, videoId, isPlain(parameters)))
}

function answer(request: SearchRequest, context: SearchContext): Answer {
  if (!(request.path in pageSizes)) return answers.notFound()
  const refused = refusedParameter(request)
  if (refused) return refused
  const isSearch = request.path === '/search'
  const all = isSearch ? videos(request, context) : threads(request, context)
  if ('status' in all) return all
  const start = offsetOf(request)!
  const size = pageSize(request)!
  const items = all.slice(start, start + size)
  return answers.list({
    kind: isSearch ? 'youtube#searchListResponse' : 'youtube#commentThreadListResponse',
    etag: tokenOf(all.length),
    next: start + size < all.length ? tokenOf(start + size) : undefined,
    region: isSearch ? 'DE' : undefined,
    // The total of a search is no count.
    total: isSearch ? 1_000_000 : items.length,
    perPage: isSearch ? size : items.length,
    items,
  })
}

export const youtube: SimulatedPlatform = {
  environment: (url) => ({ YOUTUBE_API_URL: url, YOUTUBE_API_KEY: 'simulated-youtube-key' }),
  versionPrefix: /^\/youtube\/v3(?=\/)/,
  announces: 'nothing',
  credential: ({ parameters }) => parameters.get('key'),
  // Searches have a count of their own.
  limit: ({ path, parameters }) => {
    const [counted, limit] = path === '/search' ? ['searches', searchesPerDay] : ['units', unitsPerDay]
    const bucket = `${parameters.get('key') ?? 'anonymous'} ${counted}`
    return { bucket, limit, windowMs: 24 * hourMs, windowEnd: pacificMidnightAfter }
  },
  page: (request) => pageAt(offsetOf(request), pageSize(request)),
  find: (parameters, corpus) => findWishes(corpus, parameters),
  search: answer,

  refuse: ({ form, seconds }, { remaining }) => {
    if (remaining === 0) return answers.quotaExceeded()
    return form === 'silent' ? answers.tooManySilent() : answers.tooMany({}, { 'retry-after': String(seconds) })
  },
  sayMore: (answer, { parameters }) =>
    changeBody(answer, ({ nextPageToken }) => ({
      nextPageToken: nextPageToken ?? parameters.get('pageToken') ?? tokenOf(0),
    })),
  ignoring: { since: withParameters({ publishedAfter: null }), order: withParameters({ order: 'relevance' }) },
  answers,

  plainSearch: (topic) => ({ q: quoted(topic), type: 'video', maxResults: '50' }),
  sourceId: commentIdOf,
  sourceUrl: ({ externalUrl }) => externalUrl ?? '',
}
