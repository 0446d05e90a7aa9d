import type {
  BriefTarget,
  ExportInput,
  FeedTarget,
  Include,
  ListInput,
  ListView,
  RequestStatus,
  SearchFilters,
  SearchInput,
  ShareTarget,
  StoredPlatform,
  WishListInput,
} from '../api/types.ts'
import { wishesAddress } from '../shell/addresses.ts'

export const wishMarks = ['planned', 'done', 'ignored'] as const
export type Mark = (typeof wishMarks)[number]

/** `relevance` is for words, `requests` and `growing` for lists without. */
const orders = ['relevance', 'votes', 'growing', 'requests', 'new'] as const
export type Order = (typeof orders)[number]

/** Everything that determines what the list shows: the query string of the address. */
export interface View {
  /** Empty: the wishes are listed instead of searched. */
  query: string
  platforms: StoredPlatform[]
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
  /** Only wishes that the account marked so, or starred; for lists only. */
  mark: Mark | null
  isStarred: boolean
  sortBy: Order
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
const requestStatuses = Object.keys(everyStatus) as RequestStatus[]

export const topicLength = { min: 2, max: 100 }
export const maxQueryLength = 500
const maxTags = 10
const maxTagLength = 100

/** Characters as the service counts them: code points. */
const lengthOf = (text: string): number => [...text.trim()].length
export const isTopic = (text: string): boolean => lengthOf(text) >= topicLength.min && lengthOf(text) <= topicLength.max

/** The last day that the fields accept. */
const lastDay = '2100-12-31'
const dayPattern = /^\d{4}-\d{2}-\d{2}$/
/** Whether a day exists: `Date` reads the 31st of February as a day of March. */
const isDay = (text: string): boolean => {
  const moment = dayPattern.test(text) && text <= lastDay ? new Date(text) : null
  return moment !== null && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
}

const usualOrder = (query: string): Order => (query === '' ? 'votes' : 'relevance')
const ordersOf = (query: string): readonly Order[] =>
  query === '' ? ['votes', 'growing', 'requests', 'new'] : ['relevance', 'votes', 'new']

/** The orders that a view can have: lists of requests have two, searches three. */
export const ordersFor = (view: View): readonly Order[] =>
  listsRequests(view) ? ['votes', 'new'] : ordersOf(view.query)

/** Reads an address. It is text from outside: invalid parameters are left out. */
export function parseView(parameters: URLSearchParams): View {
  const text = (name: string) => (parameters.get(name) ?? '').trim()
  const votes = Number(text('votes'))
  const include = text('include')
  const day = (name: string) => (isDay(text(name)) ? text(name) : '')
  const query = [...text('q')].slice(0, maxQueryLength).join('')
  const tags = parameters.getAll('tag').map((tag) => tag.trim())
  return {
    query,
    platforms: [...new Set(text('platforms').split(','))].filter((name) =>
      /^[a-z]{1,30}$/.test(name),
    ) as StoredPlatform[],
    tags: [...new Set(tags)].filter((tag) => tag !== '' && lengthOf(tag) <= maxTagLength).slice(0, maxTags),
    topic: isTopic(text('topic')) ? text('topic') : '',
    minVotes: Number.isSafeInteger(votes) && votes > 0 && votes < 2 ** 31 ? votes : null,
    since: day('since'),
    until: day('until'),
    statuses: requestStatuses.filter((status) => text('status').split(',').includes(status)),
    include: include === 'maybe' || include === 'all' ? include : null,
    job: query === '' ? text('job').slice(0, 100) : '',
    mark: query === '' ? (wishMarks.find((mark) => mark === text('mark')) ?? null) : null,
    isStarred: query === '' && text('starred') === 'yes',
    sortBy: ordersOf(query).find((order) => order === text('sort')) ?? usualOrder(query),
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
  if (view.query === '') {
    put('job', view.job)
    put('mark', view.mark ?? '')
    put('starred', view.isStarred ? 'yes' : '')
  }
  put('sort', view.sortBy === usualOrder(view.query) || !ordersOf(view.query).includes(view.sortBy) ? '' : view.sortBy)
  const text = parameters.toString()
  return text === '' ? wishesAddress : `${wishesAddress}?${text}`
}

/** The same view with another query: what only lists have, searches leave out, and their orders differ. */
export function withQuery(view: View, query: string): View {
  const sortBy = view.sortBy === usualOrder(view.query) ? usualOrder(query) : view.sortBy
  return parseView(new URLSearchParams(addressOf({ ...view, query, sortBy }).split('?')[1] ?? ''))
}

/** Every wish, by votes. */
export const everything: View = parseView(new URLSearchParams())

export const withoutFilters = (view: View): View => ({ ...everything, query: view.query, sortBy: view.sortBy })

export const filterCount = (view: View): number =>
  view.platforms.length +
  view.tags.length +
  view.statuses.length +
  [view.topic, view.since, view.until, view.job].filter((value) => value !== '').length +
  [view.minVotes, view.include, view.mark].filter((value) => value !== null).length +
  (view.isStarred ? 1 : 0)

/** Whether the list is one of requests: of a job, and where texts are shown that may be none and so have no wish. */
export const listsRequests = ({ query, job, include }: View): boolean =>
  query === '' && (job !== '' || include !== null)

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
  const sortBy = view.sortBy === 'votes' || view.sortBy === 'new' ? view.sortBy : 'relevance'
  return { query: view.query, sortBy, ...page, ...given(Object.keys(filters).length > 0, { filters }) }
}

/** The feed of what a view searches for. */
export function feedOf(view: View): FeedTarget {
  const { query, filters } = searchInput(view, { limit: 1, offset: 0 })
  return { kind: 'search', query, ...(filters === undefined ? {} : { filters: { ...filters } }) }
}

/** The list of a view, as it is saved and shared; null for a list of texts that are in no wish, or of one collection. */
export function listOf(view: View): ListView | null {
  if (view.job !== '' || view.include !== null) return null
  const { query, filters, sortBy } = searchInput(view, { limit: 1, offset: 0 })
  const shared = {
    ...filters,
    ...(view.mark === null ? {} : { mark: view.mark }),
    ...given(view.isStarred, { starred: true }),
  }
  return {
    ...given(query !== '', { query }),
    ...given(Object.keys(shared).length > 0, { filters: shared }),
    sortBy: query === '' ? wishListInput(view).sortBy : sortBy,
  } as ListView
}

/** What a shared page of a view shows: its topic, or its list; null where there is none. */
export function shareOf(view: View): ShareTarget | null {
  if (view.query === '' && view.topic !== '' && filterCount(view) === 1) return { topic: view.topic }
  const list = listOf(view)
  return list && { view: list }
}

/** What a brief of a shared view is about; null for every wish that there is. */
export function briefOf({ topic, view }: ShareTarget): BriefTarget | null {
  if (topic !== undefined) return { topic }
  const { query, filters } = view ?? {}
  if (query === undefined && filters === undefined) return null
  return { ...given(query !== undefined, { query }), ...given(filters !== undefined, { filters }) } as BriefTarget
}

/** The rows of one page of a search; a list has more. */
export const pageSize = 50

/** The body of a search for wishes. */
export const wishSearchBody = (view: View, { offset, typing }: { offset: number; typing: boolean }) => ({
  ...searchInput(view, { limit: pageSize, offset }),
  groupBy: 'wish' as const,
  highlight: true,
  total: true,
  ...given(typing, { prefix: true as const }),
})

/** The body of the first search of an address; null when the address lists and does not search. */
export function firstSearchBody(parameters: URLSearchParams): string | null {
  const view = parseView(parameters)
  return view.query === '' ? null : JSON.stringify(wishSearchBody(view, { offset: 0, typing: false }))
}

/** The parameters of what both lists filter by. */
const filterInput = (view: View) => ({
  ...given(view.platforms.length > 0, { platforms: view.platforms }),
  ...given(view.tags.length > 0, { tag: view.tags }),
  ...given(view.topic !== '', { topic: view.topic }),
  ...(view.minVotes === null ? {} : { minVotes: view.minVotes }),
  ...startOf(view.since),
  ...endOf(view.until),
  ...given(view.statuses.length > 0, { status: view.statuses }),
})

const includeInput = ({ include }: View) => (include === null ? {} : { include })

/** The parameters of the list of requests of a view. */
export const listInput = (view: View): ListInput => ({
  ...filterInput(view),
  ...includeInput(view),
  ...given(view.job !== '', { jobId: view.job }),
  sortBy: view.sortBy === 'new' ? 'new' : 'votes',
})

/** The parameters of the list of wishes of a view. */
export const wishListInput = (view: View): WishListInput => ({
  ...filterInput(view),
  ...(view.mark === null ? {} : { mark: view.mark }),
  ...given(view.isStarred, { starred: true }),
  sortBy: view.sortBy === 'relevance' ? 'votes' : view.sortBy,
})

/** The parameters that count the requests of a list. */
export const countInput = (view: View) => ({ ...filterInput(view), ...includeInput(view) })

/** The parameters of the export of a view: its list, or the results of its search. */
export function exportInput(view: View, typing: boolean): ExportInput {
  if (view.query === '') return listInput(view)
  const { sortBy } = searchInput(view, { limit: 1, offset: 0 })
  return {
    ...listInput(view),
    query: view.query,
    ...(sortBy === undefined ? {} : { sortBy }),
    ...given(typing, { prefix: true as const }),
  }
}
