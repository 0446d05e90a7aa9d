import type {
  ExportInput,
  FeedTarget,
  Include,
  ListInput,
  PlatformName,
  RequestStatus,
  SearchFilters,
  SearchInput,
  SearchOrder,
} from '../api/types.ts'
import { searchAddress } from '../shell/addresses.ts'

/** Everything that determines the results of the search: the query string of the address. */
export interface View {
  /** Empty: the stored requests are listed instead of searched. */
  query: string
  platforms: PlatformName[]
  tags: string[]
  topic: string
  minVotes: number | null
  /** UTC days, YYYY-MM-DD, both included; empty for no limit. */
  since: string
  until: string
  /** One of these; empty for any. */
  statuses: RequestStatus[]
  /** What is shown besides likely requests: those that may be one, or everything that was collected; null for nothing. */
  include: Include | null
  /** Only requests that this job found; for lists only. */
  job: string
  sortBy: SearchOrder
}

const everyStatus: Record<RequestStatus, true> = {
  open: true,
  planned: true,
  in_progress: true,
  completed: true,
  declined: true,
  duplicate: true,
  closed: true,
}
export const requestStatuses = Object.keys(everyStatus) as RequestStatus[]

export const topicLength = { min: 2, max: 100 }
export const maxQueryLength = 500
export const maxTags = 10
export const maxTagLength = 100

/** Characters as the service counts them: code points. */
export const lengthOf = (text: string): number => [...text.trim()].length
export const isTopic = (text: string): boolean => lengthOf(text) >= topicLength.min && lengthOf(text) <= topicLength.max

/** The last day that the fields accept. */
const lastDay = '2100-12-31'
const dayPattern = /^\d{4}-\d{2}-\d{2}$/
/** Whether a day exists: `Date` reads the 31st of February as a day of March. */
export const isDay = (text: string): boolean => {
  const moment = dayPattern.test(text) && text <= lastDay ? new Date(text) : null
  return moment !== null && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
}

/** Reads an address. It is text from outside: invalid parameters are left out. */
export function parseView(parameters: URLSearchParams): View {
  const text = (name: string) => (parameters.get(name) ?? '').trim()
  const votes = Number(text('votes'))
  const sort = text('sort')
  const include = text('include')
  const day = (name: string) => (isDay(text(name)) ? text(name) : '')
  const query = [...text('q')].slice(0, maxQueryLength).join('')
  const tags = parameters.getAll('tag').map((tag) => tag.trim())
  return {
    query,
    platforms: [...new Set(text('platforms').split(','))].filter((name) =>
      /^[a-z]{1,30}$/.test(name),
    ) as PlatformName[],
    tags: [...new Set(tags)].filter((tag) => tag !== '' && lengthOf(tag) <= maxTagLength).slice(0, maxTags),
    topic: isTopic(text('topic')) ? text('topic') : '',
    minVotes: Number.isSafeInteger(votes) && votes > 0 && votes < 2 ** 31 ? votes : null,
    since: day('since'),
    until: day('until'),
    statuses: requestStatuses.filter((status) => text('status').split(',').includes(status)),
    include: include === 'maybe' || include === 'all' ? include : null,
    job: query === '' ? text('job').slice(0, 100) : '',
    sortBy: sort === 'votes' || sort === 'new' ? sort : query === '' ? 'new' : 'relevance',
  }
}

/** The address of a view; defaults are left out. */
export function addressOf(view: View): string {
  const parameters = new URLSearchParams()
  const put = (name: string, value: string) => {
    if (value !== '') parameters.append(name, value)
  }
  put('q', view.query)
  put('platforms', view.platforms.join(','))
  for (const tag of view.tags) put('tag', tag)
  put('topic', view.topic)
  put('votes', view.minVotes === null ? '' : String(view.minVotes))
  put('since', view.since)
  put('until', view.until)
  put('status', view.statuses.join(','))
  put('include', view.include ?? '')
  put('job', view.query === '' ? view.job : '')
  const usual = view.query === '' ? 'new' : 'relevance'
  put('sort', view.sortBy === usual || view.sortBy === 'relevance' ? '' : view.sortBy)
  const text = parameters.toString()
  return text === '' ? searchAddress : `${searchAddress}?${text}`
}

/** The same view with another query. The requests of a job can be listed, not searched; lists and searches have different orders. */
export const withQuery = (view: View, query: string): View => ({
  ...view,
  query,
  job: query === '' ? view.job : '',
  sortBy: view.query === '' && query !== '' && view.sortBy === 'new' ? 'relevance' : view.sortBy,
})

export const withoutFilters = (view: View): View => ({
  query: view.query,
  platforms: [],
  tags: [],
  topic: '',
  minVotes: null,
  since: '',
  until: '',
  statuses: [],
  include: null,
  job: '',
  sortBy: view.sortBy,
})

export const filterCount = (view: View): number =>
  view.platforms.length +
  view.tags.length +
  view.statuses.length +
  [view.topic, view.since, view.until, view.job].filter((value) => value !== '').length +
  (view.minVotes === null ? 0 : 1) +
  (view.include === null ? 0 : 1)

const dayMs = 24 * 60 * 60_000
const startOf = (day: string) => (day === '' ? {} : { since: day })
/** The `until` of the service excludes its day; the one of the page includes it. */
const endOf = (day: string) =>
  day === '' ? {} : { until: new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10) }
const given = <T extends object>(condition: boolean, value: T): T | Record<string, never> => (condition ? value : {})

/** The body of a search for a view. */
export function searchInput(view: View, page: { limit: number; offset: number }): SearchInput {
  const filters: SearchFilters = {
    ...given(view.platforms.length > 0, { platforms: view.platforms }),
    ...given(view.tags.length > 0, { tags: view.tags }),
    ...given(view.topic !== '', { topic: view.topic }),
    ...(view.minVotes === null ? {} : { minVotes: view.minVotes }),
    ...startOf(view.since),
    ...endOf(view.until),
    ...given(view.statuses.length > 0, { status: view.statuses }),
    ...(view.include === null ? {} : { include: view.include }),
  }
  return { query: view.query, sortBy: view.sortBy, ...page, ...given(Object.keys(filters).length > 0, { filters }) }
}

/** The feed of what a view searches for. */
export function feedOf(view: View): FeedTarget {
  const { query, filters } = searchInput(view, { limit: 1, offset: 0 })
  return { kind: 'search', query, ...(filters === undefined ? {} : { filters: { ...filters } }) }
}

/** The results of one page. */
export const pageSize = 20

/** The body of a search. */
export const searchBody = (input: SearchInput) => ({ ...input, highlight: true, total: true })

/** The body of the first search of an address; null when the address lists and does not search. */
export function firstSearchBody(parameters: URLSearchParams): string | null {
  const view = parseView(parameters)
  return view.query === '' ? null : JSON.stringify(searchBody(searchInput(view, { limit: pageSize, offset: 0 })))
}

/** The parameters of the list of a view. */
export const listInput = (view: View): ListInput => ({
  ...given(view.platforms.length > 0, { platforms: view.platforms }),
  ...given(view.tags.length > 0, { tag: view.tags }),
  ...given(view.topic !== '', { topic: view.topic }),
  ...(view.minVotes === null ? {} : { minVotes: view.minVotes }),
  ...startOf(view.since),
  ...endOf(view.until),
  ...given(view.statuses.length > 0, { status: view.statuses }),
  ...(view.include === null ? {} : { include: view.include }),
  ...given(view.job !== '', { jobId: view.job }),
  sortBy: view.sortBy === 'votes' ? 'votes' : 'new',
})

/** The parameters of the export of a view: its list, or the results of its search. */
export function exportInput(view: View, typing: boolean): ExportInput {
  if (view.query === '') return listInput(view)
  return { ...listInput(view), query: view.query, sortBy: view.sortBy, ...given(typing, { prefix: true as const }) }
}
