import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, matching, votes } from '../finding.ts'
import { withParameter } from '../parameters.ts'
import { parseQuery, type Query } from '../query.ts'
import { gitHubLabels, itemUrl, typedLabel } from './github-item.ts'

/** The qualifiers that narrow here; the others are understood, so that they are not taken for words, and ignored. */
const simulatedQualifiers = 'is type state label repo category created'
const ignoredQualifiers =
  'in org user author updated closed comments reactions interactions sort no archived language locked linked ' +
  'milestone reason'
const qualifiers = `${simulatedQualifiers} ${ignoredQualifiers}`.split(' ')

export function parseGitHubQuery(parameters: URLSearchParams): Query {
  return parseQuery(parameters.get('q') ?? '', qualifiers)
}

const measures: Record<string, (record: CorpusRecord) => number> = {
  reactions: votes,
  'reactions-+1': votes,
  interactions: votes,
  comments: ({ commentCount }) => commentCount,
  created,
  updated: created,
}

/** Most first; null for the platform's own order. */
function compare(sort: string | null): ((a: CorpusRecord, b: CorpusRecord) => number) | null {
  const measure = measures[sort ?? '']
  return measure ? (a, b) => measure(b) - measure(a) || a.rank - b.rank : null
}

/** `>=2026-11-01T00:00:00Z`, in lower case. */
function isCreated({ createdAt }: CorpusRecord, range: string): boolean | null {
  const [, sign = '', moment = ''] = /^(>=|>|<=|<)(.+)$/.exec(range) ?? []
  const bound = Date.parse(moment.toUpperCase())
  if (Number.isNaN(bound)) return null
  const difference = createdAt.getTime() - bound
  if (difference === 0) return sign.endsWith('=')
  return difference > 0 === sign.startsWith('>')
}

const qualifies =
  (leakPullRequests: boolean) =>
  (record: CorpusRecord) =>
  (name: string, value: string): boolean | null => {
    if (name === 'created') return isCreated(record, value)
    if (name === 'label') return gitHubLabels(record).includes(value)
    if (name === 'repo') return itemUrl(record).toLowerCase().includes(`/${value}/`)
    if (name === 'state') return value === (record.resolution ? 'closed' : 'open')
    if (name === 'type' && value === 'feature') return record.tags.includes(typedLabel)
    if (name !== 'is' && name !== 'type') return null
    if (value === 'issue') return record.kind !== 'pull_request' || leakPullRequests
    if (value === 'pr' || value === 'pull-request') return record.kind === 'pull_request'
    if (value === 'closed') return record.resolution !== undefined
    return value === 'open' && record.resolution ? false : null
  }

/** The questions that an advanced search joins with OR: `((…) OR (…)) qualifiers`; null where it is no such search. */
function readAlternatives(parameters: URLSearchParams): URLSearchParams[] | null {
  if (parameters.get('advanced_search') !== 'true') return null
  const [, groups, rest = ''] = /^\(\((.*)\)\)(.*)$/.exec(parameters.get('q') ?? '') ?? []
  if (groups === undefined) return null
  return groups.split(') OR (').map((group) => {
    const alone = withParameter(parameters, 'q', `${group}${rest}`)
    alone.delete('advanced_search')
    return alone
  })
}

/** What a plain search refuses: parentheses, and OR. */
export function isAdvancedQuery(parameters: URLSearchParams): boolean {
  const unquoted = (parameters.get('q') ?? '').replace(/"[^"]*"/g, '""')
  return /[()]|\bOR\b/.test(unquoted)
}

/** The discussions of a topic. Generated ones have one of four categories, two of which are for wishes. */
export function findDiscussions(search: string, corpus: Corpus, count: number, isObeyed: boolean): CorpusRecord[] {
  const query = parseQuery(search, qualifiers)
  const records = corpus.records('github/discussions', query.topic)
  const given = records.filter(({ category }) => category !== undefined)
  const discussions = given.length > 0 ? given : records.slice(0, count).map(withCategory)
  const holds = (record: CorpusRecord) => (name: string, value: string) => {
    if (name === 'created') return isCreated(record, value)
    if (name === 'category') return isObeyed ? record.category?.toLowerCase() === value : null
    return name === 'repo' ? itemUrl(record).toLowerCase().includes(`/${value}/`) : null
  }
  const found = discussions.filter(matching(query, holds))
  // Only the query can name an order.
  const isNewestFirst = query.groups.flat().some(({ name, values }) => name === 'sort' && values[0] === 'created-desc')
  return isNewestFirst ? found.sort(compare('created')!) : found
}

const generatedCategories = ['Ideas', 'Feature Requests', 'Q&A', 'General']

export function withCategory(record: CorpusRecord): CorpusRecord {
  return { ...record, category: generatedCategories[record.id % generatedCategories.length]! }
}

/** The private records of a token; none if the search is for public repositories. */
export function findPrivate(parameters: URLSearchParams, corpus: Corpus, leakPrivate: boolean): CorpusRecord[] {
  const query = parseGitHubQuery(parameters)
  const isPublicOnly = query.groups.some(([clause]) => clause?.name === 'is' && clause.values.includes('public'))
  if (isPublicOnly && !leakPrivate) return []
  const alternatives = readAlternatives(parameters) ?? [parameters]
  const topics = alternatives.map((one) => parseGitHubQuery(one).topic)
  return topics.flatMap((topic) => corpus.privateRecords('github', topic))
}

/** Everything that matches, also what lies beyond the thousand that can be paged to. */
export function findAll(parameters: URLSearchParams, corpus: Corpus, leakPullRequests: boolean): CorpusRecord[] {
  const alternatives = readAlternatives(parameters)
  if (alternatives) {
    const found = alternatives.flatMap((one) => findAll(one, corpus, leakPullRequests))
    return [...new Map(found.map((record) => [record.id, record])).values()].sort((a, b) => a.rank - b.rank)
  }
  const query = parseGitHubQuery(parameters)
  const found = corpus
    .records('github', query.topic)
    .filter((record) => record.category === undefined)
    .filter(matching(query, qualifies(leakPullRequests)))
  const order = compare(parameters.get('sort'))
  if (order) found.sort(order)
  if (order && parameters.get('order') === 'asc') found.reverse()
  return found
}
