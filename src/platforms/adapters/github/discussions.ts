import {
  asDate,
  asFields,
  asId,
  asList,
  asName,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import { cleanTags, markdownToPlainText, plainTitle } from '../../content/text.ts'
import { type FoundRequest, type Json, type Page, PlatformError } from '../../platform.ts'
import { reachesOlder } from '../newest-first.ts'
import type { GithubApi } from './api.ts'
import { discussionHandle, statusOfIssue } from './post.ts'
import { discussionQueries } from './query.ts'

/** What both kinds of nodes have of their repository. */
export const repositoryFields = 'repository { nameWithOwner isPrivate visibility }'

/** The fields of a discussion. `upvoteCount` are its votes. */
export const discussionFields = `id url title body createdAt closed closedAt stateReason upvoteCount
  author { login url } category { name } labels(first: 20) { nodes { name } } comments { totalCount } ${repositoryFields}`

/** A discussion; null when it has no id or address. */
export function readDiscussion(node: Fields): FoundRequest | 'notPublic' | null {
  if (isInPrivateRepository(node)) return 'notPublic'
  const nodeId = asId(node.id)
  const sourceUrl = asWebUrl(node.url)
  if (nodeId === null || sourceUrl === null) return null
  const author = asFields(node.author)
  const labels = labelNames(node)
  const isClosed = node.closed === true
  const repository = repositoryName(node)
  const reason = asString(node.stateReason)?.toLowerCase() ?? null
  return foundRequest({
    // Numbers of issues have no prefix, so the two never collide.
    sourceId: `discussion:${nodeId}`,
    sourceUrl,
    title: plainTitle(asString(node.title) ?? ''),
    description: markdownToPlainText(asString(node.body) ?? ''),
    votes: node.upvoteCount,
    tags: cleanTags([categoryOf(node), ...labels]),
    commentCount: asFields(node.comments)?.totalCount,
    authorHandle: author?.login,
    authorProfileUrl: author?.url,
    originalCreatedAt: node.createdAt,
    status: statusOfIssue({ isClosed, reason, labels: cleanTags(labels) }),
    statusChangedAt: isClosed ? node.closedAt : null,
    sourceName: repository,
    refreshHandle: discussionHandle(nodeId, repository),
  })
}

/** By name, because a search may ignore `category:`, and account repositories are searched in all categories. */
function isInIdeaCategory(node: Fields): boolean {
  const name = categoryOf(node) ?? ''
  return /\b(?:ideas?|features?|suggest(?:ions?)?|propos(?:als?|ed)|wish(?:es|list)?|enhancements?|improvements?|requests?|rfcs?)\b/i.test(
    name.replace(/_/g, ' '),
  )
}

function isInPrivateRepository(node: Fields): boolean {
  const repository = asFields(node.repository)
  const visibility = asString(repository?.visibility) ?? 'PUBLIC'
  return (repository?.isPrivate ?? false) !== false || visibility.toUpperCase() !== 'PUBLIC'
}

/** `owner/repository`. */
export function repositoryName(node: Fields): string | null {
  const repository = asFields(node.repository)
  const owner = asName(asFields(repository?.owner)?.login)
  const name = asName(repository?.name)
  return asName(repository?.nameWithOwner) ?? (owner === null || name === null ? null : `${owner}/${name}`)
}

export const labelNames = (node: Fields): unknown[] =>
  (asList(asFields(node.labels)?.nodes) ?? []).map((label) => asFields(label)?.name)

const categoryOf = (node: Fields): string | null => asString(asFields(node.category)?.name)

/** Per search in a request: GitHub allows 100, but must answer all of them within its ten seconds. */
const pageSize = 50

export interface DiscussionPage {
  topic: string
  /** The repository of an account; without it, all public ones. */
  repository?: string | undefined
  /** `{after: [end cursor or null per query]}`; null for the first page. */
  cursor: Json
  signal: AbortSignal
  /** Newest first, since this time. */
  since?: Date | null | undefined
}

/**
 * Fetches discussions in wish categories, one GraphQL `search(type: DISCUSSION)` each in a single request (REST has
 * none).
 * @returns null if the topic has no words
 */
export async function fetchDiscussions(api: GithubApi, page: DiscussionPage): Promise<Page | null> {
  const { topic, repository, cursor, signal, since } = page
  const queries = discussionQueries(topic, repository, since)
  if (queries.length === 0) return null
  const cursors = readCursors(cursor, queries.length)
  const { data } = await api.query(...searchesOf(queries, cursors), signal)
  const connections = queries.map((_, index) => asFields(data[nameOf(index)]))
  if (connections.every((connection) => asList(connection?.nodes) === null)) {
    throw new PlatformError('bad_response', 'github answered without a list of discussions. Check GITHUB_API_URL.')
  }
  const nodes = connections.flatMap((connection) => asList(connection?.nodes) ?? [])
  const { requests, discarded } = await readItems(nodes, (node) => {
    const read = readDiscussion(node)
    return read === 'notPublic' || isInIdeaCategory(node) ? read : null
  })
  return { requests: onceEach(requests), discarded, nextCursor: nextCursorOf(connections, cursors, since) }
}

/** Per search: null before its first page, undefined once it has ended. */
type Cursors = readonly (string | null | undefined)[]

function readCursors(cursor: Json, count: number): Cursors {
  const after = asList(asFields(cursor)?.after)
  if (after === null) return Array.from({ length: count }, () => null)
  return Array.from({ length: count }, (_, index) => asString(after[index]) ?? undefined)
}

/** Name of a query's results in the answer; the first keeps the field's own name. */
const nameOf = (index: number) => (index === 0 ? 'search' : `search${index + 1}`)

function searchesOf(queries: readonly string[], cursors: Cursors): [query: string, variables: Fields] {
  const open = queries.map((_, index) => index).filter((index) => cursors[index] !== undefined)
  const variables = Object.fromEntries(
    open.flatMap((index) => [
      [`q${index}`, queries[index]],
      [`after${index}`, cursors[index]],
    ]),
  )
  const types = open.map((index) => `$q${index}: String!, $after${index}: String`)
  const searches = open.map((index) => {
    const alias = index === 0 ? '' : `${nameOf(index)}: `
    return `${alias}search(type: DISCUSSION, query: $q${index}, first: ${pageSize}, after: $after${index}) {
      pageInfo { hasNextPage endCursor } nodes { ... on Discussion { ${discussionFields} } } }`
  })
  return [`query (${types.join(', ')}) { ${searches.join('\n')} }`, variables]
}

function nextCursorOf(connections: readonly (Fields | null)[], cursors: Cursors, since: Date | null | undefined): Json {
  const after = connections.map((connection, index) => {
    const pageInfo = asFields(connection?.pageInfo)
    const isOver = reachesOlder(asList(connection?.nodes) ?? [], (node) => asDate(node.createdAt), since)
    const end = pageInfo?.hasNextPage === true && !isOver ? asString(pageInfo.endCursor) : null
    // Stops platforms that repeat a cursor from being queried forever.
    return end === cursors[index] ? null : end
  })
  return after.every((end) => end === null) ? null : { after }
}

/** A server that ignores `category:` answers every query alike. */
function onceEach(requests: readonly FoundRequest[]): FoundRequest[] {
  return [...new Map(requests.map((request) => [request.sourceId, request])).values()]
}
