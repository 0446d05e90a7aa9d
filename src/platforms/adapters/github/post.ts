import type { RequestStatus } from '../../../database/column-types.ts'
import {
  asFields,
  asId,
  asInteger,
  asList,
  asName,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import { cleanTags, markdownToPlainText, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'
import { type LabelMeaning, meaningsOfLabels, statusWhileOpen } from '../tracker-labels.ts'

interface GithubState {
  isClosed: boolean
  /** `state_reason` of an issue or `stateReason` of a discussion, in lower case; null if absent. */
  reason: string | null
  labels: readonly string[]
}

/**
 * Derives the status. With a bot's label, closing says nothing: older actions/stale close without a reason, which
 * GitHub stores as `completed`. Issues closed before May 2022 have none (haskell-github/github#523).
 */
export function statusOfIssue({ isClosed, reason, labels }: GithubState): RequestStatus {
  const found = meaningsOfLabels(labels)
  if (!isClosed) return statusWhileOpen(found)
  if (reason === 'duplicate' || found.has('duplicate')) return 'duplicate'
  if (found.has('stale')) return 'closed'
  return closedFor(reason, found)
}

function closedFor(reason: string | null, found: ReadonlySet<LabelMeaning>): RequestStatus {
  if (reason === 'not_planned' || found.has('declined')) return 'declined'
  // Before May 2022 only a label said so.
  if (reason === null && found.has('completed')) return 'completed'
  // Discussions say `resolved`.
  return reason === 'completed' || reason === 'resolved' ? 'completed' : 'closed'
}

/** Identifies an issue or discussion for refreshes. */
export interface GithubHandle {
  /** GraphQL's global id, `node_id` in REST. */
  nodeId: string
  /** `owner/repository`; null for a discussion without a named repository. */
  repository: string | null
  /** An issue's REST ids; null for a discussion. */
  issue: { sourceId: string; number: number } | null
}

interface IssueIds {
  nodeId: string | null
  sourceId: string
  repository: string | null
  number: number | null
}

/** `<node id> <id> <owner/repository>#<number>`: GraphQL uses the first part, REST the last. Null if one is missing. */
function issueHandle({ nodeId, sourceId, repository, number }: IssueIds): string | null {
  if (nodeId === null || repository === null || number === null) return null
  return `${nodeId} ${sourceId} ${repository}#${number}`
}

/** `<node id> <owner/repository>`, or the node id alone if the repository has no name. */
export const discussionHandle = (nodeId: string, repository: string | null): string =>
  repository === null ? nodeId : `${nodeId} ${repository}`

/** Parses an issue's or discussion's handle; null for other text. */
export function readHandle(handle: string): GithubHandle | null {
  const [nodeId = '', ...rest] = handle.split(' ')
  if (!/^[\w=-]+$/.test(nodeId)) return null
  if (rest.length === 0) return { nodeId, repository: null, issue: null }
  const path = rest.at(-1) ?? ''
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)(?:#(\d+))?$/.exec(path) ?? []
  const hasNumber = number !== undefined
  if (repository === undefined || rest.length !== (hasNumber ? 2 : 1)) return null
  return { nodeId, repository, issue: hasNumber ? { sourceId: rest[0] ?? '', number: Number(number) } : null }
}

/** Reads an issue; null for a pull request, or without id or address. */
export function readIssue(issue: Fields): FoundRequest | 'notPublic' | null {
  if (isInPrivateRepository(issue)) return 'notPublic'
  const sourceId = asId(issue.id)
  const sourceUrl = asWebUrl(issue.html_url)
  if (sourceId === null || sourceUrl === null || isPullRequest(issue)) return null
  const user = asFields(issue.user)
  const labels = (asList(issue.labels) ?? []).map((label) => asFields(label)?.name ?? label)
  const tags = cleanTags(labels)
  const isClosed = issue.state === 'closed'
  const repository = repositoryOf(issue, sourceUrl)
  return foundRequest({
    sourceId,
    sourceUrl,
    title: plainTitle(asString(issue.title) ?? ''),
    description: markdownToPlainText(asString(issue.body) ?? ''),
    votes: asFields(issue.reactions)?.['+1'],
    tags,
    commentCount: issue.comments,
    authorHandle: user?.login,
    authorProfileUrl: user?.html_url,
    originalCreatedAt: issue.created_at,
    // Answers from about before 2012, and from proxies, may lack a state.
    status:
      asString(issue.state) === null
        ? null
        : statusOfIssue({ isClosed, reason: asString(issue.state_reason), labels: tags }),
    statusChangedAt: isClosed ? issue.closed_at : null,
    sourceName: repository,
    refreshHandle: issueHandle({ nodeId: asId(issue.node_id), sourceId, repository, number: asInteger(issue.number) }),
  })
}

/** The query already excludes private repositories; this double-checks answers that include the repository. */
function isInPrivateRepository(issue: Fields): boolean {
  const repository = asFields(issue.repository)
  return (repository?.private ?? false) !== false || (repository?.visibility ?? 'public') !== 'public'
}

/** `owner/repository` from `repository_url`, else from the page's path. */
function repositoryOf(issue: Fields, sourceUrl: string): string | null {
  const address = asString(issue.repository_url) ?? ''
  const page = new URL(sourceUrl).pathname
  return asName(/\/repos\/([\w.-]+\/[\w.-]+)$/.exec(address)?.[1] ?? /^\/([\w.-]+\/[\w.-]+)\/issues\//.exec(page)?.[1])
}

/** Old bodies, and GitHub's documentation, give plain issues a `pull_request` with only nulls. */
function isPullRequest(issue: Fields): boolean {
  return Object.values(asFields(issue.pull_request) ?? {}).some((link) => link !== null)
}
