import type { RequestStatus } from '../../../database/column-types.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { invalidField } from '../../../http/validation.ts'
import { statusOfIssue } from '../../../platforms/adapters/gitlab/post.ts'
import { asId, asList, asString, type Fields } from '../../../platforms/content/fields.ts'
import { markdownOf } from '../issue-text.ts'
import { maxRead, type TrackerAdapter, TrackerError } from '../tracker.ts'
import {
  baseUrl,
  callTracker,
  checked,
  issueOf,
  listed,
  required,
  single,
  statusesOf,
  type TrackerCall,
} from './calls.ts'
import { markerOf } from './github.ts'

interface GitlabConfig {
  url: string
  /** The numeric id, stable if the project is renamed or moved. */
  projectId: string
  token: string
}

const service = 'GitLab'
const defaultUrl = 'https://gitlab.com'
const [pageSize, maxPages] = [50, 20] as const
/** Clocks differ by less, even with a wrong time zone. */
const skewMs = 86_400_000

const statusOf = ({ state, labels }: Fields): RequestStatus =>
  statusOfIssue({
    ...{ isClosed: state === 'closed', isDuplicate: false, isMoved: false },
    labels: (asList(labels) ?? []).flatMap((label) => asString(label) ?? []),
  })

const toIssue = (found: Fields) =>
  issueOf(service, { id: found.iid, key: `#${String(found.iid)}`, url: found.web_url, status: statusOf(found) })

/** Issues of a GitLab project (https://docs.gitlab.com/api/issues), found by a marker among the newest. */
export function createGitlabTracker(outbound: Outbound): TrackerAdapter<GitlabConfig> {
  const call = (
    { url, token }: Pick<GitlabConfig, 'url' | 'token'>,
    path: string,
    signal: AbortSignal,
    more: Partial<Pick<TrackerCall, 'method' | 'body'>> = {},
  ) =>
    callTracker(outbound, {
      ...{ service, signal, method: 'GET', headers: { authorization: `Bearer ${token}` }, ...more },
      url: `${url}/api/v4/projects/${path}`,
    })
  return {
    type: 'gitlab',
    fields: ['url', 'project', 'token'],
    settleMs: 60_000,
    // Each instance sets its limit of new issues per minute (docs.gitlab.com, "Content creation rate limits").
    pauseMs: 1_000,
    prepare: async (fields, signal) => {
      const project = required(fields, 'project')
      const token = required(fields, 'token')
      const url = await baseUrl(outbound, fields.url ?? defaultUrl, signal)
      const found = single(await checked(fields, 'project', call({ url, token }, encodeURIComponent(project), signal)))
      const projectId = asId(found.id)
      if (projectId === null || found.issues_enabled === false || found.archived === true)
        throw invalidField('project', 'takes no issues')
      const host = url === defaultUrl ? '' : ` (${new URL(url).host})`
      return { config: { url, projectId, token }, hint: `${asString(found.path_with_namespace) ?? project}${host}` }
    },
    find: async (config, push, signal) => {
      const since = new Date(push.since.getTime() - skewMs).toISOString()
      const query = new URLSearchParams({
        ...{ scope: 'all', created_after: since, order_by: 'created_at', sort: 'desc', per_page: String(pageSize) },
      })
      for (let page = 1; page <= maxPages; page++) {
        const issues = listed(await call(config, `${config.projectId}/issues?${query}&page=${page}`, signal))
        const found = issues.find(({ description }) => asString(description)?.includes(markerOf(push)))
        if (found) return toIssue(found)
        if (issues.length < pageSize) return null
      }
      throw new TrackerError('refused', 'There are too many newer issues to tell whether this one was made.')
    },
    create: async (config, push, text, signal) => {
      // A link to an issue of the same GitLab would notify people there.
      const { host } = new URL(config.url)
      const description = `${markdownOf(text, (url) => (url.host === host ? null : url.href))}\n${markerOf(push)}\n`
      const body = { title: text.title, description }
      return toIssue(single(await call(config, `${config.projectId}/issues`, signal, { method: 'POST', body })))
    },
    read: async (config, ids, signal) => {
      const query = new URLSearchParams({ scope: 'all', per_page: String(maxRead) })
      for (const id of ids) query.append('iids[]', id)
      const issues = listed(await call(config, `${config.projectId}/issues?${query}`, signal))
      return statusesOf(issues, 'iid', statusOf)
    },
    undo: async (config, { id }, _push, signal) => {
      await call(config, `${config.projectId}/issues/${encodeURIComponent(id)}`, signal, {
        ...{ method: 'PUT', body: { state_event: 'close' } },
      }).catch(unlessMissing)
    },
  }
}

/** A missing issue counts as closed. */
export function unlessMissing(error: unknown): void {
  if (!(error instanceof TrackerError && error.kind === 'missing')) throw error
}
