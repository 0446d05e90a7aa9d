import type { RequestStatus } from '../../../database/column-types.ts'
import { asFields, asId, asList, asName, asString, asWebUrl, type Fields, foundRequest } from '../../content/fields.ts'
import { cleanTags, flowingMarkdownToPlainText, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'
import { meaningsOfLabels, statusWhileOpen } from '../tracker-labels.ts'

interface GitlabState {
  isClosed: boolean
  isDuplicate: boolean
  /** Moved to another project, where the wish continues. */
  isMoved: boolean
  labels: readonly string[]
}

/** Derives the status from labels only: GitLab gives no reason for closing (docs.gitlab.com/api/issues). */
export function statusOfIssue({ isClosed, isDuplicate, isMoved, labels }: GitlabState): RequestStatus {
  const found = meaningsOfLabels(labels)
  if (!isClosed) return statusWhileOpen(found)
  if (isDuplicate || found.has('duplicate')) return 'duplicate'
  if (isMoved || found.has('stale')) return 'closed'
  if (found.has('declined')) return 'declined'
  return found.has('completed') ? 'completed' : 'closed'
}

/** Image and link attributes: `{width=600 height=349}` (docs.gitlab.com/user/markdown). */
const attributes = /(\]\([^()\n]{0,2000}\)|\]\[[^[\]\n]{0,200}\])\{[^{}\n]{0,200}\}/g
/** A table of contents on its own line. */
const tableOfContents = /^\s*(?:\[\[_?TOC_?\]\]|\[TOC\])\s*$/i
/** GitLab commands on lines of their own (docs.gitlab.com/user/project/quick_actions). */
const quickAction =
  /^\/(?:add_contacts|add_child|approve|assign|assign_reviewer|award|blocked_by|blocks|cc|clear_health_status|clear_weight|clone|close|confidential|copy_metadata|create_merge_request|done|due|duplicate|epic|estimate|health_status|invite_email|iteration|label|link|linked|lock|merge|milestone|move|parent|promote|promote_to|promote_to_incident|publish|react|reassign|relabel|relate|remove_(?:contacts|due_date|epic|estimate|iteration|milestone|parent|time_spent|zoom)|reopen|set_parent|severity|spend|spend_time|status|subscribe|tag|timeline|title|todo|type|unassign|unlabel|unlink|unlock|unsubscribe|weight|zoom)(?:\s.*)?$/

/** Converts GitLab Markdown to plain text without attributes and quick actions. Code is left unchanged. */
export function gitlabToPlainText(source: string): string {
  let fence: string | null = null
  const lines = source.split('\n').map((line) => {
    const opening = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null
    if (fence !== null) {
      if (opening?.startsWith(fence)) fence = null
      return line
    }
    if (opening !== null) fence = opening
    else if (tableOfContents.test(line) || quickAction.test(line.trimEnd())) return ''
    return line.replace(attributes, '$1')
  })
  return flowingMarkdownToPlainText(lines.join('\n'))
}

/** Reads an issue; null for another type, or without id or address. */
export function readIssue(issue: Fields): FoundRequest | 'notPublic' | null {
  if (isConfidential(issue)) return 'notPublic'
  const sourceId = asId(issue.id)
  const sourceUrl = asWebUrl(issue.web_url)
  if (sourceId === null || sourceUrl === null || isOfAnotherType(issue)) return null
  const author = asFields(issue.author)
  // With `with_labels_details`, added by some proxies, labels are objects.
  const tags = cleanTags((asList(issue.labels) ?? []).map((label) => asFields(label)?.name ?? label))
  const isClosed = issue.state === 'closed'
  return foundRequest({
    sourceId,
    sourceUrl,
    title: plainTitle(asString(issue.title) ?? ''),
    description: gitlabToPlainText(asString(issue.description) ?? ''),
    votes: issue.upvotes,
    tags,
    commentCount: issue.user_notes_count,
    authorName: author?.name,
    authorHandle: author?.username,
    authorProfileUrl: author?.web_url,
    originalCreatedAt: issue.created_at,
    status: statusOf(issue, isClosed, tags),
    // Null for imported issues (gitlab-org/gitlab#21381).
    statusChangedAt: isClosed ? issue.closed_at : null,
    sourceName: projectOf(issue, sourceUrl),
    refreshHandle: handleOf(issue),
  })
}

/** With a token, lists may include confidential issues, which not every account of Wishwell may read. */
export function isConfidential({ confidential }: Fields): boolean {
  return (confidential ?? false) !== false
}

/** Older servers ignore the query's type filter. */
function isOfAnotherType({ issue_type: type }: Fields): boolean {
  return type === 'incident' || type === 'test_case'
}

function statusOf(issue: Fields, isClosed: boolean, labels: string[]): FoundRequest['status'] {
  if (asString(issue.state) === null) return null
  const duplicateOf = asFields(issue._links)?.closed_as_duplicate_of ?? null
  const isMoved = (issue.moved_to_id ?? null) !== null
  return statusOfIssue({ isClosed, isDuplicate: duplicateOf !== null, isMoved, labels })
}

/** The project's path, from `references.full` (`group/project#12`) or the issue's address. */
function projectOf(issue: Fields, sourceUrl: string): string | null {
  const full = /^([^#]+)#\d+$/.exec(asString(asFields(issue.references)?.full) ?? '')?.[1]
  return asName(full ?? /^\/(.+?)\/(?:-\/)?(?:issues|work_items)\/\d+$/.exec(new URL(sourceUrl).pathname)?.[1])
}

/** `<project number>#<issue number>`: the project number survives renaming. */
function handleOf({ project_id: project, iid }: Fields): string | null {
  const [projectId, issueId] = [asId(project), asId(iid)]
  return projectId === null || issueId === null ? null : `${projectId}#${issueId}`
}
