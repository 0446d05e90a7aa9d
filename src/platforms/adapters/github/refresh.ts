import type { Answer } from '../../client/messages.ts'
import { asFields, asId, asList, asString, type Fields } from '../../content/fields.ts'
import { PlatformError, type Refresh, type Refreshed, unreadable } from '../../platform.ts'
import type { GithubApi } from './api.ts'
import { discussionFields, labelNames, readDiscussion, repositoryFields, repositoryName } from './discussions.ts'
import { type GithubHandle, readHandle, readIssue } from './post.ts'
import { findPublicRepositories } from './repository.ts'

/** "You may not provide more than 100 node ids" (sourcecred/sourcecred issue 908). */
const maxNodes = 100

/** Without `enableDuplicate`, GitHub gives another reason for duplicates. */
const issueFields = `id number url title body createdAt closedAt state stateReason(enableDuplicate: true)
  author { login url } labels(first: 20) { nodes { name } } comments { totalCount }
  reactions(content: THUMBS_UP) { totalCount } ${repositoryFields}`

const nodesQuery = `query ($ids: [ID!]!) { nodes(ids: $ids) {
  __typename ... on Issue { ${issueFields} } ... on Discussion { ${discussionFields} } } }`

/**
 * With a token, 100 issues and discussions a request (GraphQL `nodes`). Without one, a single issue a request: its 60 requests an
 * hour are no searches, so jobs lose nothing, and only such an answer says why an issue is gone. A list by repository
 * (`issues?since=`) would hold 100 issues, but those that have not changed since are missing in it, and results of a search
 * come from as many repositories.
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

/**
 * What is missing counts only while its repository can be read: one that became private answers as if all its issues were gone.
 */
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

/**
 * A node that is gone is null, and has an error `NOT_FOUND`; one that became private looks alike. Any other error is about the access
 * to it.
 */
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

/** The type of the error of each node; `path` is `["nodes", index]`. */
function problemsByIndex(errors: unknown): Map<number, string> {
  const problems = new Map<number, string>()
  for (const error of asList(errors) ?? []) {
    const fields = asFields(error)
    const index = asList(fields?.path)?.[1]
    if (typeof index === 'number') problems.set(index, asString(fields?.type) ?? '')
  }
  return problems
}

/** An issue of GraphQL in the form of REST. Its number for REST is not in it: `databaseId` has only 31 bits. */
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
  // A discussion is in GraphQL only.
  if (!parsed?.issue) return { handle, state: 'unreadable' }
  const path = `/repos/${parsed.repository}/issues/${parsed.issue.number}`
  return refreshedIssue(handle, parsed, await api.read(path, signal))
}

/**
 * 410 is a deleted issue; 404 one that was deleted or moved to where it cannot be read, or a whole repository that cannot be read
 * (docs.github.com/rest/issues, "Get an issue"). 403 and 451 are a repository that GitHub blocked.
 */
function refreshedIssue(handle: string, { nodeId, issue }: GithubHandle, { status, body }: Answer): Refreshed {
  if (status === 410)
    return { handle, state: /disabled/i.test(asString(asFields(body)?.message) ?? '') ? 'unreadable' : 'gone' }
  if (status === 404) return { handle, state: 'missing' }
  const fields = asFields(body)
  if (status !== 200 || fields === null) return { handle, state: 'unreadable' }
  // An issue that was transferred redirects to its copy, which is an issue of its own.
  const isAnother = asId(fields.id) !== issue?.sourceId && asId(fields.node_id) !== nodeId
  if (isAnother) return { handle, state: 'missing' }
  const request = readIssue(fields)
  return request === null || request === 'notPublic'
    ? { handle, state: 'unreadable' }
    : { handle, state: 'found', request }
}
