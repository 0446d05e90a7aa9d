import type { RequestStatus } from '../../../database/column-types.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { invalidField } from '../../../http/validation.ts'
import { asFields, asId, asList, asName, asString, asWebUrl, type Fields } from '../../../platforms/content/fields.ts'
import type { Block, Inline } from '../../../sharing/briefs/lines.ts'
import type { PushToSend, TrackerAdapter } from '../tracker.ts'
import { baseUrl, callTracker, checked, issueOf, required, single, statusesOf, type TrackerCall } from './calls.ts'
import { unlessMissing } from './gitlab.ts'

interface JiraConfig {
  url: string
  projectId: string
  issueTypeId: string
  /** For Basic authentication. */
  credentials: string
}

const service = 'Jira'
/** Names of issue types that fit a wish, best first: English, then Jira's translations. */
const fittingTypes = (
  'story|task|new feature|idea|aufgabe|neue funktion|idee|tâche|récit|tarea|historia|tarefa|história|' +
  'задача|история|タスク|ストーリー|任务|故事|작업|스토리'
).split('|')

/** Else names of types and resolutions are in the language of the token's account. */
const english = { 'accept-language': 'en', 'x-force-accept-language': 'true' }

/** The label for finding an issue again. */
const labelOf = ({ id }: Pick<PushToSend, 'id'>): string => `wishwell-${id}`

/** By the category of the status, since projects name statuses themselves; if done, by the resolution. */
function statusOf(fields: Fields | null): RequestStatus | null {
  const category = asString(asFields(asFields(fields?.status)?.statusCategory)?.key)
  if (category === 'indeterminate') return 'in_progress'
  if (category !== 'done') return category === null ? null : 'open'
  const resolution = asString(asFields(fields?.resolution)?.name)?.toLowerCase() ?? ''
  if (resolution.includes('duplicate')) return 'duplicate'
  return /won.t|declined|rejected|cannot|not a bug|invalid/.test(resolution) ? 'declined' : 'completed'
}

function textNode(part: Inline) {
  const { text, url } = typeof part === 'string' ? { text: part, url: null } : part
  const href = asWebUrl(url)
  return { type: 'text', text, ...(href === null ? {} : { marks: [{ type: 'link', attrs: { href } }] }) }
}

const paragraph = (parts: readonly Inline[]) => ({
  type: 'paragraph',
  // Text nodes may not be empty.
  content: parts.filter((part) => (typeof part === 'string' ? part : part.text) !== '').map(textNode),
})

const nodeOf = (block: Block) => {
  if (block.kind === 'line') return paragraph(block.parts)
  if (block.kind !== 'quote') return paragraph([])
  const quoted = `“${block.text}${block.isWhole ? '' : ' …'}”`
  return { type: 'blockquote', content: [paragraph([quoted]), paragraph(block.origin)] }
}

/** A text without markup: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure */
const documentOf = (blocks: readonly Block[]) => ({ type: 'doc', version: 1, content: blocks.map(nodeOf) })

/** The chosen type, else the best fit at level 0 (no epics or subtasks). @throws ServiceError INVALID_REQUEST */
function issueTypeOf(project: Fields, chosen: string | undefined): string | null {
  const types = (asList(project.issueTypes) ?? []).map(asFields).filter((one) => one !== null)
  const usable = types.filter(({ subtask }) => subtask !== true)
  const nameOf = ({ name }: Fields) => asString(name)?.toLowerCase() ?? ''
  if (chosen !== undefined) {
    const found = usable.find((one) => asId(one.id) === chosen || nameOf(one) === chosen.toLowerCase())
    const names = usable.flatMap(({ name }) => asName(name) ?? []).slice(0, 20)
    if (found === undefined) throw invalidField('issueType', `is none of the project's types: ${names.join(', ')}`)
    return asId(found.id)
  }
  const rank = (one: Fields) => {
    const at = fittingTypes.indexOf(nameOf(one))
    return at === -1 ? fittingTypes.length : at
  }
  const level0 = usable.filter(({ hierarchyLevel = 0 }) => hierarchyLevel === 0)
  return asId(level0.toSorted((one, other) => rank(one) - rank(other))[0]?.id)
}

/**
 * Issues of a Jira Cloud project, by its REST API (https://developer.atlassian.com/cloud/jira/platform/rest/v3). Jira
 * accepts no ids from callers, so issues are found by a label.
 */
export function createJiraTracker(outbound: Outbound): TrackerAdapter<JiraConfig> {
  const call = (
    { url, credentials }: Pick<JiraConfig, 'url' | 'credentials'>,
    path: string,
    signal: AbortSignal,
    more: Partial<Pick<TrackerCall, 'method' | 'body'>> = {},
  ) =>
    callTracker(outbound, {
      ...{ service, signal, method: 'GET', headers: { authorization: `Basic ${credentials}`, ...english }, ...more },
      url: `${url}/rest/api/3/${path}`,
    })
  const toIssue = (url: string, found: Fields, status: RequestStatus | null) =>
    issueOf(service, { id: found.id, key: found.key, url: `${url}/browse/${String(found.key)}`, status })
  return {
    type: 'jira',
    fields: ['url', 'project', 'email', 'token', 'issueType'],
    // Search usually follows within seconds, without guarantee ("Search and reconcile"); a wrong "none" duplicates.
    settleMs: 600_000,
    // Jira limits bursts and reports them in its answers (developer.atlassian.com, "Rate limiting").
    pauseMs: 0,
    prepare: async (fields, signal) => {
      const project = required(fields, 'project')
      const credentials = Buffer.from(`${required(fields, 'email')}:${required(fields, 'token')}`).toString('base64')
      const url = await baseUrl(outbound, required(fields, 'url'), signal)
      const path = `project/${encodeURIComponent(project)}`
      const found = single(await checked(fields, 'project', call({ url, credentials }, path, signal)))
      const [projectId, issueTypeId] = [asId(found.id), issueTypeOf(found, fields.issueType)]
      if (projectId === null || issueTypeId === null) throw invalidField('project', 'takes no issues')
      const hint = `${asId(found.key) ?? project} (${new URL(url).host})`
      return { config: { url, projectId, issueTypeId, credentials }, hint }
    },
    find: async (config, push, signal) => {
      const body = { jql: `labels = "${labelOf(push)}"`, fields: ['status', 'resolution'], maxResults: 1 }
      const answer = single(await call(config, 'search/jql', signal, { method: 'POST', body }))
      const found = asFields((asList(answer.issues) ?? [])[0])
      return found === null ? null : toIssue(config.url, found, statusOf(asFields(found.fields)))
    },
    create: async (config, push, text, signal) => {
      const fields = {
        project: { id: config.projectId },
        issuetype: { id: config.issueTypeId },
        ...{ summary: text.title, description: documentOf(text.blocks), labels: [labelOf(push)] },
      }
      const made = single(await call(config, 'issue', signal, { method: 'POST', body: { fields } }))
      return toIssue(config.url, made, 'open')
    },
    read: async (config, ids, signal) => {
      const body = { issueIdsOrKeys: ids, fields: ['status', 'resolution'] }
      const answer = single(await call(config, 'issue/bulkfetch', signal, { method: 'POST', body }))
      return statusesOf((asList(answer.issues) ?? []).map(asFields), 'id', (one) => statusOf(asFields(one.fields)))
    },
    undo: async (config, { id }, _push, signal) => {
      await call(config, `issue/${encodeURIComponent(id)}`, signal, { method: 'DELETE' }).catch(unlessMissing)
    },
  }
}
