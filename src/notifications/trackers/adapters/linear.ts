import type { RequestStatus } from '../../../database/column-types.ts'
import { isId } from '../../../http/ids.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { invalidField } from '../../../http/validation.ts'
import { asFields, asId, asList, asName, asString, type Fields } from '../../../platforms/content/fields.ts'
import { markdownOf } from '../issue-text.ts'
import { maxRead, type TrackerAdapter, TrackerError } from '../tracker.ts'
import { baseUrl, checked, issueOf, required, statusesOf } from './calls.ts'
import { callGraphql } from './graphql.ts'

interface LinearConfig {
  url: string
  teamId: string
  token: string
}

const service = 'Linear'
const defaultUrl = 'https://api.linear.app'

/** By the type of a workflow state, since teams name states themselves. */
const statuses: Readonly<Record<string, RequestStatus>> = {
  triage: 'open',
  backlog: 'open',
  unstarted: 'planned',
  started: 'in_progress',
  completed: 'completed',
  canceled: 'declined',
  duplicate: 'duplicate',
}

const statusOf = (found: Fields): RequestStatus | null => statuses[asString(asFields(found.state)?.type) ?? ''] ?? null

const issueFields = 'id identifier url trashed state { type }'
const teamQueries = {
  id: 'query Team($team: ID!) { teams(filter: { id: { eq: $team } }) { nodes { id key } } }',
  key: 'query Team($team: String!) { teams(filter: { key: { eq: $team } }) { nodes { id key } } }',
}
const issuesQuery = `query Issues($ids: [ID!]!) {
  issues(filter: { id: { in: $ids } }, first: ${maxRead}, includeArchived: true) { nodes { ${issueFields} } }
}`
const createQuery = `mutation Create($id: String!, $team: String!, $title: String!, $description: String!) {
  issueCreate(input: { id: $id, teamId: $team, title: $title, description: $description }) { issue { ${issueFields} } }
}`
const deleteQuery = 'mutation Delete($id: String!) { issueDelete(id: $id) { success } }'

/** @throws TrackerError when the answer has no list of issues */
function issuesIn(data: Fields): Fields[] {
  const nodes = asList(asFields(data.issues)?.nodes)
  if (nodes === null) throw new TrackerError('unclear', 'Linear gave no issues.')
  return nodes.map(asFields).filter((one) => one !== null)
}

/**
 * Issues of a team, by Linear's GraphQL API (https://linear.app/developers/graphql). A push and its issue share an id:
 * Linear accepts a caller's id, and refuses it a second time.
 */
export function createLinearTracker(outbound: Outbound): TrackerAdapter<LinearConfig> {
  const call = (
    { url, token }: Pick<LinearConfig, 'url' | 'token'>,
    query: string,
    variables: Record<string, unknown>,
    signal: AbortSignal,
  ) =>
    callGraphql(outbound, {
      ...{ service, query, variables, signal },
      url: `${url}/graphql`,
      // Personal keys are sent bare, OAuth tokens as bearer (linear.app/developers, "Authentication").
      authorization: token.startsWith('lin_api_') ? token : `Bearer ${token}`,
    })
  const toIssue = (found: Fields | null) =>
    issueOf(service, {
      ...{ id: found?.id, key: found?.identifier, url: found?.url },
      status: found === null ? null : statusOf(found),
    })
  /** Those that were not deleted. */
  const readIssues = async (config: LinearConfig, ids: readonly string[], signal: AbortSignal) =>
    issuesIn(await call(config, issuesQuery, { ids }, signal))
  const find: Required<TrackerAdapter<LinearConfig>>['find'] = async (config, { id }, signal) => {
    const [found] = await readIssues(config, [id], signal)
    return found === undefined ? null : toIssue(found)
  }
  return {
    type: 'linear',
    fields: ['url', 'project', 'token'],
    settleMs: 30_000,
    // Thousands of calls per hour; answers report a reached limit (linear.app/developers, "Rate limiting").
    pauseMs: 0,
    prepare: async (fields, signal) => {
      const project = required(fields, 'project')
      const token = required(fields, 'token')
      const url = await baseUrl(outbound, fields.url ?? defaultUrl, signal)
      const query = isId(project) ? teamQueries.id : teamQueries.key
      const data = await checked(fields, 'project', call({ url, token }, query, { team: project }, signal))
      const team = asFields((asList(asFields(data.teams)?.nodes) ?? [])[0])
      const teamId = asId(team?.id)
      if (teamId === null) throw invalidField('project', 'is no team that the token sees: give its key, such as ENG')
      return { config: { url, teamId, token }, hint: `team ${asName(team?.key) ?? project}` }
    },
    find,
    create: async ({ teamId: team, ...rest }, push, text, signal) => {
      const variables = { id: push.id, team, title: text.title, description: markdownOf(text) }
      try {
        const data = await call(rest, createQuery, variables, signal)
        return toIssue(asFields(asFields(data.issueCreate)?.issue))
      } catch (error) {
        if (!(error instanceof TrackerError) || error.kind !== 'refused') throw error
        // Refused as a repeat: another process may have made it meanwhile.
        const found = await find({ teamId: team, ...rest }, push, signal)
        if (found === null) throw error
        return found
      }
    },
    read: async (config, ids, signal) => {
      const found = await readIssues(config, ids, signal)
      const kept = found.filter(({ trashed }) => trashed !== true)
      return statusesOf(kept, 'id', statusOf)
    },
    undo: async (config, { id }, _push, signal) => {
      try {
        await call(config, deleteQuery, { id }, signal)
      } catch (error) {
        if (!(error instanceof TrackerError) || error.kind === 'unclear' || error.kind === 'tracker') throw error
        // Already deleted, or not allowed: only the former is no error.
        const [found] = await readIssues(config, [id], signal)
        if (found !== undefined && found.trashed !== true) throw error
      }
    },
  }
}
