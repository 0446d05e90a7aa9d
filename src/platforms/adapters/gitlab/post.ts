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
import { cleanTags, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'
import { statusOfIssue } from './status.ts'
import { gitlabToPlainText } from './text.ts'

/** An issue; null for an item of another type, or one without an id or address. */
export function readIssue(issue: Fields): FoundRequest | 'notPublic' | null {
  if (isConfidential(issue)) return 'notPublic'
  const sourceId = asId(issue.id)
  const sourceUrl = asWebUrl(issue.web_url)
  if (sourceId === null || sourceUrl === null || isOfAnotherType(issue)) return null
  const author = asFields(issue.author)
  // With `with_labels_details`, which some proxies add, a label is an object.
  const tags = cleanTags((asList(issue.labels) ?? []).map((label) => asFields(label)?.name ?? label))
  const isClosed = issue.state === 'closed'
  return foundRequest({
    sourceId,
    sourceUrl,
    title: plainTitle(asString(issue.title) ?? ''),
    description: gitlabToPlainText(asString(issue.description) ?? ''),
    votes: asInteger(issue.upvotes) ?? 0,
    tags,
    commentCount: asInteger(issue.user_notes_count),
    authorName: asName(author?.name),
    authorHandle: asName(author?.username),
    authorProfileUrl: asWebUrl(author?.web_url),
    originalCreatedAt: asDate(issue.created_at),
    status: statusOf(issue, isClosed, tags),
    // Null on issues that were imported (gitlab-org/gitlab issue 21381).
    statusChangedAt: isClosed ? asDate(issue.closed_at) : null,
    sourceName: projectOf(issue, sourceUrl),
    refreshHandle: handleOf(issue),
  })
}

/** With a token, confidential issues come too, unless the list excludes them; not every account of Wishwell may read them. */
export function isConfidential({ confidential }: Fields): boolean {
  return (confidential ?? false) !== false
}

/** The query excludes the others, but older servers ignore its parameters. */
function isOfAnotherType({ issue_type: type }: Fields): boolean {
  return type === 'incident' || type === 'test_case'
}

function statusOf(issue: Fields, isClosed: boolean, labels: string[]): FoundRequest['status'] {
  if (asString(issue.state) === null) return null
  const duplicateOf = asFields(issue._links)?.closed_as_duplicate_of ?? null
  const isMoved = (issue.moved_to_id ?? null) !== null
  return statusOfIssue({ isClosed, isDuplicate: duplicateOf !== null, isMoved, labels })
}

/** The path of the project, from `references.full` (`group/project#12`) or the address of the issue. */
function projectOf(issue: Fields, sourceUrl: string): string | null {
  const full = /^([^#]+)#\d+$/.exec(asString(asFields(issue.references)?.full) ?? '')?.[1]
  return asName(full ?? /^\/(.+?)\/(?:-\/)?(?:issues|work_items)\/\d+$/.exec(new URL(sourceUrl).pathname)?.[1])
}

/** `<project number>#<number of the issue in it>`: a project keeps its number when it is renamed. */
function handleOf({ project_id: project, iid }: Fields): string | null {
  const [projectId, issueId] = [asId(project), asId(iid)]
  return projectId === null || issueId === null ? null : `${projectId}#${issueId}`
}
