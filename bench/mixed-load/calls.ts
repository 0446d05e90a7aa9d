import { createRandom } from '../engines/corpus.ts'

// The mix of calls: mostly searches and lists, some that write, now and then one that collects live or purges.

export interface Call {
  kind: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  body?: object
  /** By the operator instead of an account. */
  isAdmin?: true
  /** The number of the account that must make it; otherwise the next one does. */
  account?: number
  /** The call names something that may be purged or collected no more: a 404 is no error. */
  mayMiss?: true
}

/** What answers showed, for the calls about one request or wish. */
export interface Seen {
  requests: string[]
  wishes: string[]
  jobs: { jobId: string; account: number }[]
}

const maxSeen = 2_000
/** Platforms that a job collects from: those without credentials. */
const platforms = ['github', 'hackernews', 'stackexchange', 'discourse', 'lemmy', 'gitlab']
/** Topics of the requests that are there before the load. */
const loadedTopics = 500
/** Of a hundred jobs so many are about a topic that was collected before: they store what changed. */
const repeatedJobs = 60

export interface Mix {
  next(): Call
  readonly seen: Seen
}

const json = (path: string, kind: string, body: object): Call => ({ kind, method: 'POST', path, body })
const read = (path: string, kind: string): Call => ({ kind, method: 'GET', path })

/** The calls in the order in which they are made: the same seed gives the same kinds. @param words of the searches */
export function createMix(seed: number, words: readonly string[]): Mix {
  const random = createRandom(seed)
  const seen: Seen = { requests: [], wishes: [], jobs: [] }
  const collected: string[] = []
  const below = (count: number) => Math.floor(random() * count)
  const one = <T>(list: readonly T[]): T | undefined => list[below(list.length)]
  const word = () => one(words) ?? 'mode'
  const topic = () => encodeURIComponent(`topic ${below(loadedTopics)}`)
  const search = (query: string, more: object = {}) => json('/api/v1/requests/search', 'search', { query, ...more })
  const list = (query: string, kind = 'list') => read(`/api/v1/requests?limit=20&${query}`, kind)

  const job = (): Call => {
    const again = below(100) < repeatedJobs ? one(collected) : undefined
    const name = again ?? `${word()} ${word()} ${word()}`
    if (again === undefined) collected.push(name)
    const chosen = [...new Set([one(platforms), one(platforms)])]
    return json('/api/v1/scrape', 'job', { topic: name, platforms: chosen, depth: 2 })
  }
  /** A call about something that an answer showed; a list where nothing was shown yet. */
  const about = <T>(shown: readonly T[], make: (chosen: T) => Call): Call => {
    const chosen = one(shown)
    return chosen === undefined ? list('sortBy=new') : { ...make(chosen), mayMiss: true }
  }
  const correction = (id: string): Call => ({
    kind: 'correction',
    method: 'PUT',
    path: `/api/v1/requests/${id}/correction`,
    body: { isRequest: below(2) === 0 },
  })
  const purge = (id: string): Call => ({ ...json('/api/admin/purge', 'purge', { id }), isAdmin: true })

  /** Each kind of call with its share of a thousand. */
  const kinds: readonly [share: number, make: () => Call][] = [
    [140, () => search(word())],
    [100, () => search(`${word()} ${word()} ${word()}`, { highlight: true })],
    [50, () => search(word().slice(0, 3), { prefix: true })],
    [50, () => search(`${word()} ${word()}`, { sortBy: 'votes' })],
    [40, () => search(`"${word()}" ${word()} -${word()}`)],
    [30, () => search(`${word()} ${word()}`, { filters: { platforms: [one(platforms)], minVotes: 1 } })],
    [20, () => search(`${word()} ${word()}`, { groupBy: 'wish' })],
    [140, () => list(`topic=${topic()}`)],
    [90, () => list(`minVotes=${below(60)}&sortBy=votes`)],
    [60, () => about(seen.requests, (id) => read(`/api/v1/requests/${id}/similar`, 'similar'))],
    [50, () => about(seen.requests, (id) => read(`/api/v1/requests/${id}`, 'request'))],
    [40, () => read('/api/v1/wishes?limit=20', 'wishes')],
    [30, () => about(seen.wishes, (id) => read(`/api/v1/wishes/${id}`, 'wish'))],
    [50, () => read(`/api/v1/topics?query=${word().slice(0, 2)}`, 'topics')],
    [20, () => ({ ...read(`/api/v1/topics/${topic()}`, 'topic'), mayMiss: true })],
    [30, () => read('/api/v1/usage', 'usage')],
    [
      30,
      () => about(seen.jobs, ({ jobId, account }) => ({ ...read(`/api/v1/scrape/${jobId}`, 'job status'), account })),
    ],
    [10, () => read(`/api/v1/requests/export?format=csv&topic=${topic()}`, 'export')],
    [11, () => about(seen.requests, correction)],
    [6, job],
    [0.5, () => search(`${word()} ${word()}`, { expand: true })],
    [1, () => about(seen.requests, purge)],
  ]
  const total = kinds.reduce((sum, [share]) => sum + share, 0)
  const next = () => {
    let rest = random() * total
    for (const [share, make] of kinds) {
      if (rest < share) return make()
      rest -= share
    }
    throw new Error('the shares do not add up')
  }
  return { next, seen }
}

/** The kinds whose answers are remembered: reading all of them would take the processor time of the service. */
export const isRemembered = ({ kind }: Call): boolean => ['list', 'wishes', 'job'].includes(kind)

/** Remembers what an answer showed; of many the last ones. @param data of its envelope */
export function rememberSeen(seen: Seen, account: number, data: unknown): void {
  if (typeof data !== 'object' || data === null) return
  const { results, jobId } = data as { results?: { _id?: string; wishId?: string | null }[]; jobId?: string }
  const add = <T>(list: T[], item: T) => {
    if (list.push(item) > maxSeen) list.shift()
  }
  if (jobId !== undefined) add(seen.jobs, { jobId, account })
  for (const { _id, wishId } of results ?? []) {
    if (_id) add(seen.requests, _id)
    if (wishId) add(seen.wishes, wishId)
  }
}
