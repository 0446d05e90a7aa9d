import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import { hashText } from '../random.ts'
import type { SimulatedRecord } from '../records.ts'
import gitlab from './gitlab.json' with { type: 'json' }

const forms = readForms(gitlab.forms)

export const internalId = ({ id }: SimulatedRecord): number => (id % 2_147_483_647) + 1

/** The page of an issue, as a person opens it. */
export const issueUrl = (record: SimulatedRecord, project: string): string =>
  `https://gitlab.com/${project}/-/issues/${internalId(record)}`

/** The number of a project. A client may name a project by it. */
export const projectId = (project: string): number => hashText(project)

/** Labels of wishes: a record that names one of them has no others. */
const wishLabels = ['type::feature', 'feature', 'enhancement']

/** GitLab has no reasons for a closing, so projects and their bots label it. */
const closingLabels: Record<string, string[]> = {
  completed: ['workflow::complete'],
  not_planned: ['wontfix'],
  stale: ['auto-closed'],
}

/** Every issue is a wish under the names that projects have for it, so that a search by one of them misses none. */
export function gitLabLabels({ tags, resolution }: SimulatedRecord): string[] {
  const isNamed = tags.some((tag) => wishLabels.includes(tag))
  const wish = tags.includes('bug') ? ['type::bug'] : isNamed ? [] : [...wishLabels, 'feature request']
  return [...new Set([...wish, ...tags]), ...(closingLabels[resolution ?? ''] ?? [])]
}

/** GitLab moves what a deleted account wrote to one user of that name. */
const ghost = { handle: 'ghost', name: 'Ghost User', id: 1 }

/** One element of the list, with every field that an anonymous caller is answered today. */
export function gitLabIssue(record: SimulatedRecord, project: string, apiUrl: string, isConfidential = false): unknown {
  const values = valuesOf(record)
  const projectUrl = `${apiUrl}/projects/${encodeURIComponent(project)}`
  return forms.issue({
    ...values,
    number: internalId(record),
    projectId: projectId(project),
    project,
    projectUrl,
    state: record.resolution ? 'closed' : 'opened',
    updatedAt: values.closedAt ?? values.createdAt,
    labels: gitLabLabels(record),
    author: forms.author(record.author ?? ghost),
    downvotes: Math.max(0, -record.votes),
    isConfidential,
    pageUrl: issueUrl(record, project),
    duplicateOf: record.resolution === 'duplicate' ? `${projectUrl}/issues/1` : null,
    movedTo: record.resolution === 'moved' ? record.id + 1 : null,
  })
}
