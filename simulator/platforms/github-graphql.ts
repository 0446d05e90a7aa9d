import type { CorpusRecord } from '../corpus.ts'
import { type Answer, jsonAnswer, type SearchContext, type SearchRequest } from '../platform-shape.ts'
import { isFound, resolvedAt } from '../records.ts'
import { gitHubLabels, itemUrl, nodeId, repository, stateReason } from './github-item.ts'
import { findDiscussions, withCategory } from './github-search.ts'

export const graphqlPath = '/graphql'
const maximumNodes = 100

interface GraphqlBody {
  query: string
  variables: Record<string, unknown>
}

export function readGraphql(request: SearchRequest): GraphqlBody {
  const body = JSON.parse(request.body || '{}') as Partial<GraphqlBody>
  return { query: body.query ?? '', variables: body.variables ?? {} }
}

const isNodes = (query: string) => query.includes('nodes(ids:')
const repositoryPattern = /(\w+): repository\(owner: "([^"]+)", name: "([^"]+)"\)/g

/** Whether a request reads known nodes or repositories, which is no search. */
export function isReadingQuery(request: SearchRequest): boolean {
  const { query } = readGraphql(request)
  return isNodes(query) || query.match(repositoryPattern) !== null
}

/** Reads no GraphQL: it recognises the searches, the nodes and the repositories of a query by their text. */
export function answerGraphql(request: SearchRequest, context: SearchContext, headers: Record<string, string>): Answer {
  const { query, variables } = readGraphql(request)
  if (isNodes(query)) return answerNodes(variables.ids as string[], context, headers)
  if (isReadingQuery(request)) return answerRepositories(query, headers)
  const searches = [
    ...query.matchAll(/(?:(\w+): )?search\(type: DISCUSSION, query: \$(\w+), first: (\d+), after: \$(\w+)\)/g),
  ]
  const data = searches.map(([, alias = 'search', text = '', first = '0', after = '']) => {
    const found = search(String(variables[text]), context)
    const start = Number(variables[after] ?? 0)
    const end = start + Number(first)
    const pageInfo = { hasNextPage: end < found.length, endCursor: found.length === 0 ? null : String(end) }
    return [alias, { pageInfo, nodes: found.slice(start, end).map(discussionNode) }] as const
  })
  return jsonAnswer(200, { data: Object.fromEntries(data) }, headers)
}

function search(text: string, { corpus, behaviours }: SearchContext): CorpusRecord[] {
  return findDiscussions(text, corpus, behaviours.github.discussions, behaviours.github.category === 'obeyed')
}

function answerNodes(ids: readonly string[], { corpus }: SearchContext, headers: Record<string, string>): Answer {
  if (ids.length > maximumNodes) {
    const message = `You may not provide more than ${maximumNodes} node ids; you provided ${ids.length}.`
    return jsonAnswer(200, { data: null, errors: [{ type: 'ARGUMENT_LIMIT', message }] }, headers)
  }
  const known = corpus
    .known('github')
    .map(({ place, record }) => (place === 'github/discussions' ? withCategory(record) : record))
  const byId = new Map(known.map((record) => [nodeId(record), record]))
  const nodes = ids.map((id) => {
    const record = byId.get(id)
    // A deleted node and one that became private look alike.
    if (record === undefined || !isFound(record) || record.resolution === 'moved') return null
    return record.category === undefined ? issueNode(record) : discussionNode(record)
  })
  const errors = nodes.flatMap((node, index) => {
    const message = `Could not resolve to a node with the global id of '${ids[index]}'`
    return node === null ? [{ type: 'NOT_FOUND', path: ['nodes', index], message }] : []
  })
  return jsonAnswer(200, { data: { nodes }, ...(errors.length === 0 ? {} : { errors }) }, headers)
}

/** A repository that is not there and one that may not be read look alike. */
function answerRepositories(query: string, headers: Record<string, string>): Answer {
  const repositories = [...query.matchAll(repositoryPattern)].map(([, alias = '', owner = '', name = '']) => {
    const isPrivate = owner === 'private'
    const repository = { nameWithOwner: `${owner}/${name}`, isPrivate, visibility: isPrivate ? 'PRIVATE' : 'PUBLIC' }
    return { alias, repository: owner.startsWith('nosuch') ? null : repository }
  })
  const errors = repositories.flatMap(({ alias, repository }) => {
    const message = 'Could not resolve to a Repository with the name.'
    return repository === null ? [{ type: 'NOT_FOUND', path: [alias], message }] : []
  })
  const data = Object.fromEntries(repositories.map(({ alias, repository }) => [alias, repository]))
  return jsonAnswer(
    200,
    { data: { __typename: 'Query', ...data }, ...(errors.length === 0 ? {} : { errors }) },
    headers,
  )
}

function commonFields(record: CorpusRecord): object {
  const { author } = record
  return {
    id: nodeId(record),
    url: itemUrl(record),
    title: record.title,
    body: record.body ?? '',
    createdAt: record.createdAt.toISOString(),
    closedAt: record.resolution ? resolvedAt(record).toISOString() : null,
    author: author && { login: author.handle, url: `https://github.com/${author.handle}` },
    labels: { nodes: gitHubLabels(record).map((name) => ({ name })) },
    comments: { totalCount: record.commentCount },
    repository: { nameWithOwner: repository(record), isPrivate: false, visibility: 'PUBLIC' },
  }
}

function issueNode(record: CorpusRecord): object {
  return {
    __typename: 'Issue',
    ...commonFields(record),
    number: (record.id % 2_147_483_647) + 1,
    state: record.resolution ? 'CLOSED' : 'OPEN',
    stateReason: stateReason(record)?.toUpperCase() ?? null,
    reactions: { totalCount: Math.max(0, record.votes) },
  }
}

const discussionReasons: Record<string, string> = { completed: 'RESOLVED', duplicate: 'DUPLICATE' }

function discussionNode(record: CorpusRecord): object {
  return {
    __typename: 'Discussion',
    ...commonFields(record),
    labels: { nodes: [] },
    closed: record.resolution !== undefined,
    stateReason: record.resolution ? (discussionReasons[record.resolution] ?? 'OUTDATED') : null,
    upvoteCount: Math.max(0, record.votes),
    category: { name: record.category },
  }
}
