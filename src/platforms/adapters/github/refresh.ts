import type { Answer } from '../../client/messages.ts'
import { asFields, asId, asList, asString, type Fields } from '../../content/fields.ts'
import { PlatformError, type Refresh, type Refreshed, unreadable } from '../../platform.ts'
import type { GithubApi } from './api.ts'
import { discussionFields, labelNames, readDiscussion, repositoryFields, repositoryName } from './discussions.ts'
import { type GithubHandle, readHandle, readIssue } from './post.ts'
import { findPublicRepositories } from './repository.ts'

/** "You may not provide more than 100 node ids" (sourcecred/sourcecred#908). */
const maxNodes = 100

/** Without `enableDuplicate`, duplicates have another reason. */
const issueFields = `id number url title body createdAt closedAt state stateReason(enableDuplicate: true)
  author { login url } labels(first: 20) { nodes { name } } comments { totalCount }
  reactions(content: THUMBS_UP) { totalCount } ${repositoryFields}`

const nodesQuery = `query ($ids: [ID!]!) { nodes(ids: $ids) {
  __typename ... on Issue { ${issueFields} } ... on Discussion { ${discussionFields} } } }`

/**
 * With a token, 100 items per request (GraphQL `nodes`). Without one, single issues, whose 60 requests an hour are not
 * searches, and whose answer says why an issue is gone. Lists by repository (`issues?since=`) would omit unchanged
 * issues.
 */
export function createRefresh(api: GithubApi): Refresh {
  if (!api.hasToken) {
    return { maxHandles: 1, groupOf: (handle) => handle, read: (handles, signal) => readSingly(api, handles, signal) }
  }
  return { maxHandles: maxNodes, groupOf: () => '', read: (handles, signal) => readNodes(api, handles, signal) }
}

async function readNodes(api: GithubApi, handles: readonly string[], signal: AbortSignal): Promise<Refreshed[]> {
  const known = handles.map(readHandle)
  const ids = known.flatMap((handle) => handle?.nodeId ?? [])
  if (ids.length === 0) return unreadable(handles)
  const { data, errors } = await api.query(nodesQuery, { ids }, signal)
  const nodes = asList(data.nodes)
  if (nodes?.length !== ids.length) {
    throw new PlatformError('bad_response', 'github answered without the nodes. Check GITHUB_API_URL.')
  }
  const problems = problemsByIndex(errors)
  let index = -1
  const results = handles.map((handle, position): Refreshed => {
    const parsed = known[position]
    if (!parsed) return { handle, state: 'unreadable' }
    index += 1
    return refreshedNode(handle, parsed, asFields(nodes[index]), problems.get(index) ?? null)
  })
  return onlyInPublicRepositories(api, results, signal)
}

/** Missing counts only if the repository is readable: one that turned private looks as if all issues were gone. */
async function onlyInPublicRepositories(
  api: GithubApi,
  results: Refreshed[],
  signal: AbortSignal,
): Promise<Refreshed[]> {
  const repositoryOf = ({ handle }: Refreshed) => readHandle(handle)?.repository ?? null
  const missing = results.filter(({ state }) => state === 'missing')
  const repositories = new Set(missing.map(repositoryOf).filter((repository) => repository !== null))
  const isPublic = await findPublicRepositories(api, [...repositories], signal)
  return results.map((result) => {
    if (result.state !== 'missing' || isPublic.has(repositoryOf(result) ?? '')) return result
    return { handle: result.handle, state: 'unreadable' }
  })
}

/** A node that was deleted or became private is null, with a `NOT_FOUND` error. Other errors concern access. */
function refreshedNode(
  handle: string,
  { issue }: GithubHandle,
  node: Fields | null,
  problem: string | null,
): Refreshed {
  if (node === null) return { handle, state: problem === null || problem === 'NOT_FOUND' ? 'missing' : 'unreadable' }
  const request = issue === null ? readDiscussion(node) : readIssue(asRestIssue(node, issue.sourceId))
  return request === null || request === 'notPublic'
    ? { handle, state: 'unreadable' }
    : { handle, state: 'found', request }
}

function problemsByIndex(errors: unknown): Map<number, string> {
  const problems = new Map<number, string>()
  for (const error of asList(errors) ?? []) {
    const fields = asFields(error)
    const index = asList(fields?.path)?.[1]
    if (typeof index === 'number') problems.set(index, asString(fields?.type) ?? '')
  }
  return problems
}

/** Converts a GraphQL issue to REST form. Its REST id is not included: `databaseId` has only 31 bits. */
function asRestIssue(node: Fields, sourceId: string): Fields {
  const author = asFields(node.author)
  const repository = asFields(node.repository)
  return {
    id: sourceId,
    node_id: node.id,
    number: node.number,
    html_url: node.url,
    title: node.title,
    body: node.body,
    user: author && { login: author.login, html_url: author.url },
    labels: labelNames(node),
    reactions: { '+1': asFields(node.reactions)?.totalCount },
    comments: asFields(node.comments)?.totalCount,
    created_at: node.createdAt,
    closed_at: node.closedAt,
    state: asString(node.state)?.toLowerCase(),
    state_reason: asString(node.stateReason)?.toLowerCase(),
    repository: { private: repository?.isPrivate, visibility: asString(repository?.visibility)?.toLowerCase() },
    repository_url: `/repos/${repositoryName(node) ?? ''}`,
  }
}

async function readSingly(api: GithubApi, handles: readonly string[], signal: AbortSignal): Promise<Refreshed[]> {
  const results: Refreshed[] = []
  for (const handle of handles) results.push(await readOne(api, handle, signal))
  return onlyInPublicRepositories(api, results, signal)
}

async function readOne(api: GithubApi, handle: string, signal: AbortSignal): Promise<Refreshed> {
  const parsed = readHandle(handle)
  // Discussions exist only in GraphQL.
  if (!parsed?.issue) return { handle, state: 'unreadable' }
  const path = `/repos/${parsed.repository}/issues/${parsed.issue.number}`
  return refreshedIssue(handle, parsed, await api.read(path, signal))
}

/**
 * 410: deleted. 404: deleted, moved, or repository unreadable (docs.github.com/rest/issues, "Get an issue"). 403, 451:
 * repository blocked by GitHub.
 */
function refreshedIssue(handle: string, { nodeId, issue }: GithubHandle, { status, body }: Answer): Refreshed {
  if (status === 410)
    return { handle, state: /disabled/i.test(asString(asFields(body)?.message) ?? '') ? 'unreadable' : 'gone' }
  if (status === 404) return { handle, state: 'missing' }
  const fields = asFields(body)
  if (status !== 200 || fields === null) return { handle, state: 'unreadable' }
  // A transferred issue redirects to its copy, a different issue.
  const isAnother = asId(fields.id) !== issue?.sourceId && asId(fields.node_id) !== nodeId
  if (isAnother) return { handle, state: 'missing' }
  const request = readIssue(fields)
  return request === null || request === 'notPublic'
    ? { handle, state: 'unreadable' }
    : { handle, state: 'found', request }
}
