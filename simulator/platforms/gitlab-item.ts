import { hashText } from '../random.ts'
import { resolvedAt, type SimulatedRecord } from '../records.ts'

const pageHost = 'https://gitlab.com'

export function internalId(record: SimulatedRecord): number {
  return (record.id % 2_147_483_647) + 1
}

/** The page of an issue, as a person opens it. */
export function issueUrl(record: SimulatedRecord, project: string): string {
  return `${pageHost}/${project}/-/issues/${internalId(record)}`
}

/** Labels of wishes: a record that names one of them has no others. */
const wishLabels = new Set(['type::feature', 'feature', 'enhancement'])

/** Every issue is a wish under the names that projects have for it, so that a search by one of them misses none. */
export function gitLabLabels(record: SimulatedRecord): string[] {
  return [...wishLabelsOf(record), ...(closingLabels[record.resolution ?? ''] ?? [])]
}

/** The number of a project. A client may name a project by it. */
export const projectId = (project: string): number => hashText(project)

/** GitLab has no reasons for a closing, so projects and their bots label it. */
const closingLabels: Record<string, string[]> = {
  completed: ['workflow::complete'],
  not_planned: ['wontfix'],
  stale: ['auto-closed'],
}

function wishLabelsOf(record: SimulatedRecord): string[] {
  if (record.tags.includes('bug')) return ['type::bug', ...record.tags]
  if (record.tags.some((tag) => wishLabels.has(tag))) return [...record.tags]
  return [...new Set(['type::feature', 'feature', 'enhancement', 'feature request', ...record.tags])]
}

/** GitLab moves what a deleted account wrote to one user of that name. */
function author(record: SimulatedRecord): object {
  const { handle, name, id } = record.author ?? { handle: 'ghost', name: 'Ghost User', id: 1 }
  return {
    id,
    username: handle,
    public_email: null,
    name,
    state: 'active',
    locked: false,
    avatar_url: null,
    web_url: `${pageHost}/${handle}`,
  }
}

function links(record: SimulatedRecord, projectUrl: string): object {
  const self = `${projectUrl}/issues/${internalId(record)}`
  return {
    self,
    notes: `${self}/notes`,
    award_emoji: `${self}/award_emoji`,
    project: projectUrl,
    closed_as_duplicate_of: record.resolution === 'duplicate' ? `${projectUrl}/issues/1` : null,
  }
}

/** One element of the list, with every field that an anonymous caller is answered today. */
export function gitLabIssue(record: SimulatedRecord, project: string, apiUrl: string, isConfidential = false): object {
  const createdAt = record.createdAt.toISOString()
  const closedAt = resolvedAt(record).toISOString()
  const iid = internalId(record)
  return {
    id: record.id,
    iid,
    project_id: projectId(project),
    title: record.title,
    description: record.body,
    state: record.resolution ? 'closed' : 'opened',
    created_at: createdAt,
    updated_at: record.resolution ? closedAt : createdAt,
    closed_at: record.resolution ? closedAt : null,
    closed_by: null,
    labels: gitLabLabels(record),
    milestone: null,
    assignees: [],
    author: author(record),
    type: 'ISSUE',
    assignee: null,
    user_notes_count: record.commentCount,
    merge_requests_count: 0,
    upvotes: Math.max(0, record.votes),
    downvotes: Math.max(0, -record.votes),
    due_date: null,
    confidential: isConfidential,
    discussion_locked: null,
    issue_type: 'issue',
    web_url: issueUrl(record, project),
    time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
    task_completion_status: { count: 0, completed_count: 0 },
    weight: null,
    blocking_issues_count: 0,
    has_tasks: false,
    _links: links(record, `${apiUrl}/projects/${encodeURIComponent(project)}`),
    references: { short: `#${iid}`, relative: `#${iid}`, full: `${project}#${iid}` },
    severity: 'UNKNOWN',
    moved_to_id: record.resolution === 'moved' ? record.id + 1 : null,
    imported: false,
    imported_from: 'none',
    service_desk_reply_to: null,
  }
}
