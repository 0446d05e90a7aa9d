import type { Corpus } from '../corpus.ts'
import {
  type Answer,
  changeBody,
  jsonAnswer,
  type SearchContext,
  type SearchRequest,
  type SimulatedPlatform,
  wholeNumber,
  withParameters,
} from '../platform-shape.ts'
import { commentIdOf, commentThread, searchResult } from './youtube-item.ts'
import { findThreads, findThreadsById, findVideos, findWishes, newestFirst, stateOfVideo } from './youtube-records.ts'
import { badRequest, closedVideo, refuse } from './youtube-refusals.ts'

const searchesPerDay = 100
const unitsPerDay = 10_000
const hourMs = 3_600_000
/** A search ends after so many videos. */
const reachableVideos = 500
const largestIds = 50
const largestPages = { '/search': 50, '/commentThreads': 100 } as const
const defaultPages = { '/search': 5, '/commentThreads': 20 } as const

type Method = keyof typeof largestPages

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
function offsetOf(token: string | null): number | null {
  if (token === null) return 0
  const offset = /^offset (\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString())?.[1]
  return offset === undefined ? null : Number(offset)
}

function pageSize({ path, parameters }: SearchRequest): number | null {
  const size = wholeNumber(parameters.get('maxResults'), defaultPages[path as Method])
  return size !== null && size >= 1 && size <= largestPages[path as Method] ? size : null
}

function refusedParameter(request: SearchRequest): Answer | null {
  const { parameters } = request
  if (!parameters.get('key')) {
    const message = 'The request is missing a valid API key.'
    return refuse({
      status: 403,
      reason: 'forbidden',
      message,
      domain: 'global',
      more: { status: 'PERMISSION_DENIED' },
    })
  }
  if (!parameters.get('part')) return badRequest('missingRequiredParameter', 'Missing required parameter: part')
  if (pageSize(request) === null) return badRequest('invalidValue', 'Values of maxResults must be within the range.')
  if (offsetOf(parameters.get('pageToken')) === null) {
    return badRequest('invalidPageToken', 'The request specifies an invalid page token.')
  }
  return null
}

interface List {
  kind: string
  all: object[]
  total?: number
}

/** A call by ids, beside which YouTube accepts neither a page nor an order. */
function threadsById(parameters: URLSearchParams, ids: string[], corpus: Corpus): List | Answer {
  const refused = ['maxResults', 'pageToken', 'order', 'searchTerms'].find((name) => parameters.has(name))
  if (refused !== undefined) return badRequest('incompatibleParameters', `Incompatible parameters: id, ${refused}`)
  if (ids.length > largestIds) return badRequest('invalidFilters', 'The request specifies too many ids.')
  const isPlain = parameters.get('textFormat') === 'plainText'
  const found = findThreadsById(corpus, ids)
  return {
    kind: 'youtube#commentThreadListResponse',
    all: found.map(([thread, videoId]) => commentThread(thread, videoId, isPlain)),
  }
}

function listOf(request: SearchRequest, { corpus, behaviours }: SearchContext): List | Answer {
  const { parameters } = request
  if (request.path === '/search') {
    const after = new Date(parameters.get('publishedAfter') ?? 0)
    const found = findVideos(corpus, parameters.get('q') ?? '').filter(({ createdAt }) => createdAt >= after)
    const videos = (parameters.get('order') === 'date' ? newestFirst(found) : found).slice(0, reachableVideos)
    return { kind: 'youtube#searchListResponse', all: videos.map(searchResult), total: 1_000_000 }
  }
  const ids = parameters.get('id')
  if (ids) return threadsById(parameters, ids.split(','), corpus)
  const videoId = parameters.get('videoId')
  if (!videoId) return badRequest('missingRequiredParameter', 'No filter selected. Expected one of: videoId, id')
  const state = stateOfVideo(corpus, videoId)
  if (state !== 'open') return refuse({ ...closedVideo[state], reason: state, domain: 'youtube.commentThread' })
  const threads = findThreads(
    corpus,
    videoId,
    behaviours.youtube.searchTerms === 'ignored' ? '' : (parameters.get('searchTerms') ?? ''),
  )
  const isPlain = parameters.get('textFormat') === 'plainText'
  return {
    kind: 'youtube#commentThreadListResponse',
    all: (parameters.get('order') === 'time' ? newestFirst(threads) : threads).map((thread) =>
      commentThread(thread, videoId, isPlain),
    ),
  }
}

function answer(request: SearchRequest, context: SearchContext): Answer {
  if (!(request.path in largestPages)) {
    return { status: 404, headers: { 'content-type': 'text/html; charset=UTF-8' }, body: '<title>Error 404</title>' }
  }
  const refused = refusedParameter(request)
  if (refused) return refused
  const list = listOf(request, context)
  if ('status' in list) return list
  const start = offsetOf(request.parameters.get('pageToken'))!
  const size = pageSize(request)!
  const items = list.all.slice(start, start + size)
  return jsonAnswer(200, {
    kind: list.kind,
    etag: tokenOf(list.all.length),
    ...(start + size < list.all.length ? { nextPageToken: tokenOf(start + size) } : {}),
    ...(list.total === undefined ? {} : { regionCode: 'DE' }),
    pageInfo: { totalResults: list.total ?? items.length, resultsPerPage: list.total ? size : items.length },
    items,
  })
}

export const youtube: SimulatedPlatform = {
  environment: (url) => ({ YOUTUBE_API_URL: url, YOUTUBE_API_KEY: 'simulated-youtube-key' }),
  versionPrefix: /^\/youtube\/v3(?=\/)/,
  alwaysCompressed: false,
  announces: 'nothing',
  decentPauseMs: 60_000,

  refuseMissingUserAgent: null,
  credential: ({ parameters }) => parameters.get('key'),
  // Searches have a count of their own.
  limit: ({ path, parameters }) => {
    const isSearch = path === '/search'
    return {
      bucket: `${parameters.get('key') ?? 'anonymous'} ${isSearch ? 'searches' : 'units'}`,
      limit: isSearch ? searchesPerDay : unitsPerDay,
      windowMs: 24 * hourMs,
      windowEnd: pacificMidnightAfter,
    }
  },
  page: (request) => 1 + Math.floor((offsetOf(request.parameters.get('pageToken')) ?? 0) / (pageSize(request) ?? 1)),
  find: (parameters, corpus) => findWishes(corpus, parameters),

  search: answer,

  refuse: (wait, now, { remaining }) => {
    if (remaining === 0) {
      const message =
        'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.'
      return refuse({ status: 403, reason: 'quotaExceeded', message, domain: 'youtube.quota' })
    }
    const refusal = { reason: 'rateLimitExceeded', message: 'Too many requests.', domain: 'global' }
    if (wait.form === 'silent') return refuse({ ...refusal, status: 403 })
    const seconds = String(Math.max(1, Math.ceil((wait.until - now) / 1_000)))
    return refuse({ ...refusal, status: 429, more: { status: 'RESOURCE_EXHAUSTED' } }, { 'retry-after': seconds })
  },
  sayMore: (answer, { parameters }) =>
    changeBody(answer, ({ nextPageToken }) => ({
      nextPageToken: nextPageToken ?? parameters.get('pageToken') ?? tokenOf(0),
    })),
  ignoring: {
    since: withParameters({ publishedAfter: null }),
    order: withParameters({ order: 'relevance' }),
  },
  unauthorized: () =>
    refuse({
      status: 400,
      reason: 'badRequest',
      message: 'API key not valid. Please pass a valid API key.',
      domain: 'global',
      more: {
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'API_KEY_INVALID',
            domain: 'googleapis.com',
            metadata: { service: 'youtube.googleapis.com' },
          },
        ],
      },
    }),
  serverError: () => refuse({ status: 503, reason: 'backendError', message: 'Backend Error', domain: 'global' }),
  wrongShape: () => jsonAnswer(200, { kind: 7, items: 'none', pageInfo: null, nextPageToken: [] }),

  plainSearch: (topic) => ({ q: `"${topic.replaceAll('"', ' ')}"`, type: 'video', maxResults: '50' }),
  sourceId: (record) => commentIdOf(record),
  sourceUrl: (record) => record.externalUrl ?? '',
}
