import {
  asDate,
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
import { issueHandle } from './handle.ts'
import { statusOfIssue } from './status.ts'

/** An issue; null for a pull request, or one without an id or address. */
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
    votes: asInteger(asFields(issue.reactions)?.['+1']) ?? 0,
    tags,
    commentCount: asInteger(issue.comments),
    authorHandle: asName(user?.login),
    authorProfileUrl: asWebUrl(user?.html_url),
    originalCreatedAt: asDate(issue.created_at),
    // Before 2012 or so, and in proxies, an answer may have no state.
    status:
      asString(issue.state) === null
        ? null
        : statusOfIssue({ isClosed, reason: asString(issue.state_reason), labels: tags }),
    statusChangedAt: isClosed ? asDate(issue.closed_at) : null,
    sourceName: repository,
    refreshHandle: issueHandle({ nodeId: asId(issue.node_id), sourceId, repository, number: asInteger(issue.number) }),
  })
}

/** The query excludes private repositories already; some answers hold the repository, so it is checked here too. */
function isInPrivateRepository(issue: Fields): boolean {
  const repository = asFields(issue.repository)
  return (repository?.private ?? false) !== false || (repository?.visibility ?? 'public') !== 'public'
}

/** `owner/repository`: the end of `repository_url`, or the beginning of the path of the page. */
function repositoryOf(issue: Fields, sourceUrl: string): string | null {
  const address = asString(issue.repository_url) ?? ''
  const page = new URL(sourceUrl).pathname
  return asName(/\/repos\/([\w.-]+\/[\w.-]+)$/.exec(address)?.[1] ?? /^\/([\w.-]+\/[\w.-]+)\/issues\//.exec(page)?.[1])
}

/** Old bodies, and the example in GitHub's own documentation, give plain issues a `pull_request` of nulls only. */
function isPullRequest(issue: Fields): boolean {
  return Object.values(asFields(issue.pull_request) ?? {}).some((link) => link !== null)
}
