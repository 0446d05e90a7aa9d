import type { RequestStatus } from '../../../database/column-types.ts'
import type { Outbound } from '../../../http/outbound/outbound.ts'
import { invalidField } from '../../../http/validation.ts'
import { statusOfIssue } from '../../../platforms/adapters/github/post.ts'
import { asDate, asFields, asId, asList, asString, type Fields } from '../../../platforms/content/fields.ts'
import { markdownOf } from '../issue-text.ts'
import { type Issue, type PushToSend, type TrackerAdapter, TrackerError } from '../tracker.ts'
import { baseUrl, checked, issueOf, required, statusesOf } from './calls.ts'
import { callGraphql } from './graphql.ts'

interface GithubConfig {
  url: string
  /** The global id, stable if the repository is renamed or moved. */
  repositoryId: string
  token: string
}

const service = 'GitHub'
const defaultUrl = 'https://api.github.com'
const issueFields = 'id number url body createdAt state stateReason labels(first: 20) { nodes { name } }'
const [pageSize, maxPages] = [50, 20] as const
/** Clocks differ by less, even with a wrong time zone. */
const skewMs = 86_400_000

/** Avoids a backlink on linked issues: GitHub does not record links through this host. */
const redirected = (url: URL) =>
  url.host === 'github.com' ? `https://redirect.github.com${url.pathname}${url.search}${url.hash}` : url.href

/** An invisible marker in an issue, for finding it again. */
export const markerOf = ({ id }: Pick<PushToSend, 'id'>): string => `<!-- wishwell:${id} -->`

function statusOf({ state, stateReason, labels }: Fields): RequestStatus {
  const names = (asList(asFields(labels)?.nodes) ?? []).flatMap((label) => asString(asFields(label)?.name) ?? [])
  return statusOfIssue({
    isClosed: state === 'CLOSED',
    reason: asString(stateReason)?.toLowerCase() ?? null,
    labels: names,
  })
}

const toIssue = (found: Fields | null): Issue =>
  issueOf(service, {
    id: found?.id,
    key: found === null ? null : `#${String(found.number)}`,
    url: found?.url,
    status: found === null ? null : statusOf(found),
  })

const repositoryQuery = `query Repository($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { id nameWithOwner hasIssuesEnabled isArchived }
}`
const newestQuery = `query Newest($repository: ID!, $since: DateTime!, $after: String) {
  node(id: $repository) { ... on Repository {
    issues(first: ${pageSize}, after: $after, orderBy: { field: CREATED_AT, direction: DESC }, filterBy: { since: $since }) {
      nodes { ${issueFields} } pageInfo { hasNextPage endCursor }
    }
  } }
}`
const createQuery = `mutation Create($repository: ID!, $title: String!, $body: String!) {
  createIssue(input: { repositoryId: $repository, title: $title, body: $body }) { issue { ${issueFields} } }
}`
const statusQuery = `query Statuses($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Issue { id state stateReason labels(first: 20) { nodes { name } } } }
}`
const closeQuery = `mutation Close($id: ID!) {
  closeIssue(input: { issueId: $id, stateReason: NOT_PLANNED }) { issue { id } }
}`

/**
 * Issues of a repository, by GitHub's GraphQL API (https://docs.github.com/graphql): ids survive renames, and one call
 * reads a hundred states. Issues are found by a marker among the newest, since searches lag behind lists.
 */
export function createGithubTracker(outbound: Outbound): TrackerAdapter<GithubConfig> {
  const call = (
    { url, token }: Pick<GithubConfig, 'url' | 'token'>,
    query: string,
    variables: Record<string, unknown>,
    signal: AbortSignal,
    allowsMissing = false,
  ) =>
    callGraphql(outbound, {
      ...{ service, query, variables, allowsMissing, signal },
      url: `${url}/graphql`,
      authorization: `Bearer ${token}`,
    })
  return {
    type: 'github',
    fields: ['url', 'project', 'token'],
    // GitHub ends calls after ten seconds (docs.github.com, "Timeouts").
    settleMs: 60_000,
    // "Wait at least one second" between writing calls, at most 80 a minute (docs.github.com, "Best practices for using
    // the REST API").
    pauseMs: 1_000,
    prepare: async (fields, signal) => {
      const [owner, name, ...rest] = required(fields, 'project').split('/')
      if (!owner || !name || rest.length > 0) throw invalidField('project', 'must be OWNER/REPOSITORY')
      const url = await baseUrl(outbound, fields.url ?? defaultUrl, signal)
      const token = required(fields, 'token')
      const data = await checked(fields, 'project', call({ url, token }, repositoryQuery, { owner, name }, signal))
      const repository = asFields(data.repository)
      const repositoryId = asId(repository?.id)
      if (repositoryId === null) throw invalidField('project', 'is not there, or the token does not see it')
      if (repository?.hasIssuesEnabled === false || repository?.isArchived === true)
        throw invalidField('project', 'takes no issues')
      const host = url === defaultUrl ? '' : ` (${new URL(url).host})`
      return { config: { url, repositoryId, token }, hint: `${owner}/${name}${host}` }
    },
    find: async (config, push, signal) => {
      const since = new Date(push.since.getTime() - skewMs)
      const variables = { repository: config.repositoryId, since: since.toISOString() }
      let after: string | null = null
      for (let page = 0; page < maxPages; page++) {
        const data = await call(config, newestQuery, { ...variables, after }, signal)
        const issues = asFields(asFields(data.node)?.issues)
        const nodes = asList(issues?.nodes)
        if (issues === null || nodes === null) throw new TrackerError('missing', 'GitHub does not show the repository.')
        const found = nodes.map(asFields).find((one) => asString(one?.body)?.includes(markerOf(push)))
        if (found) return toIssue(found)
        const pageInfo = asFields(issues.pageInfo)
        after = asString(pageInfo?.endCursor)
        const last = asDate(asFields(nodes.at(-1))?.createdAt)
        if (pageInfo?.hasNextPage !== true || after === null || (last !== null && last < since)) return null
      }
      throw new TrackerError('refused', 'There are too many newer issues to tell whether this one was made.')
    },
    create: async ({ repositoryId: repository, ...config }, push, text, signal) => {
      const body = `${markdownOf(text, redirected)}\n${markerOf(push)}\n`
      const data = await call(config, createQuery, { repository, title: text.title, body }, signal)
      return toIssue(asFields(asFields(data.createIssue)?.issue))
    },
    read: async (config, ids, signal) => {
      const data = await call(config, statusQuery, { ids }, signal, true)
      const nodes = asList(data.nodes)
      if (nodes === null) throw new TrackerError('unclear', 'GitHub gave no states.')
      return statusesOf(nodes.map(asFields), 'id', statusOf)
    },
    undo: async (config, { id }, _push, signal) => {
      await call(config, closeQuery, { id }, signal, true)
    },
  }
}
