import { shortTime, valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import { resolvedAt, type SimulatedRecord } from '../records.ts'
import github from './github.json' with { type: 'json' }

const forms = readForms(github.forms)

export function repository({ product }: SimulatedRecord): string {
  const name = product.toLowerCase().replaceAll(' ', '-')
  return `${name}-org/${name}`
}

export const issueNumber = ({ id }: SimulatedRecord): number => (id % 2_147_483_647) + 1

/** The id in GraphQL. Its form differs, so that a client cannot take one kind for the other. */
export const nodeId = ({ id, category }: SimulatedRecord): string =>
  `${category === undefined ? 'I_' : 'D_'}${Buffer.from(`${id}`).toString('base64url')}`

/** The page of an issue, pull request or discussion, as a person opens it. */
export function itemUrl(record: SimulatedRecord): string {
  const folder = record.category !== undefined ? 'discussions' : record.kind === 'pull_request' ? 'pull' : 'issues'
  return `https://github.com/${repository(record)}/${folder}/${issueNumber(record)}`
}

/** The issue type of an organisation; wishes with this label have it instead of a label for wishes. */
export const typedLabel = 'typed'

/** Every issue but a bug is an enhancement or typed, so that a search by both misses none; the second label varies. */
export function gitHubLabels({ kind, tags, resolution }: SimulatedRecord): string[] {
  if (kind === 'pull_request') return []
  const own = tags.filter((tag) => tag !== typedLabel)
  const closing = resolution === 'stale' ? ['Stale'] : []
  const isWish = !tags.includes('bug') && !tags.includes(typedLabel)
  return isWish ? ['enhancement', ...own, ...closing] : [...own, ...closing]
}

/** Bots that close stale issues give no reason, which GitHub stores as `completed`. A moved one is closed without any. */
function stateReason({ resolution }: SimulatedRecord): string | null {
  if (resolution === 'stale') return 'completed'
  return resolution === 'moved' ? null : (resolution ?? null)
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

function user({ author }: SimulatedRecord, apiUrl: string): unknown {
  if (author === null) return null
  return forms.user({ ...author, nodeId: base64(`04:User${author.id}`), url: `${apiUrl}/users/${author.handle}` })
}

function label(name: string, index: number, repositoryUrl: string): unknown {
  const url = `${repositoryUrl}/labels/${encodeURIComponent(name)}`
  const id = 1_000_000 + name.length * 100 + index
  return forms.label({ id, nodeId: base64(`05:Label${name}`), url, name, isDefault: name === 'enhancement' })
}

/** What the REST and the GraphQL forms have in common. */
const commonValues = (record: SimulatedRecord) => ({
  ...valuesOf(record),
  repository: repository(record),
  number: issueNumber(record),
  nodeId: nodeId(record),
  pageUrl: itemUrl(record),
})

/** One element of `items`, with every field that the search answers today. */
export function gitHubItem(record: SimulatedRecord, apiUrl: string, isPrivate = false): object {
  const common = commonValues(record)
  const repositoryUrl = `${apiUrl}/repos/${common.repository}`
  const createdAt = shortTime(record.createdAt)
  const closedAt = record.resolution ? shortTime(resolvedAt(record)) : null
  const isPullRequest = record.kind === 'pull_request'
  const hearts = record.commentCount % 3
  return forms.item({
    ...common,
    repositoryUrl,
    url: `${repositoryUrl}/issues/${common.number}`,
    user: user(record, apiUrl),
    labels: gitHubLabels(record).map((name, index) => label(name, index, repositoryUrl)),
    state: closedAt === null ? 'open' : 'closed',
    shortCreatedAt: createdAt,
    updatedAt: closedAt ?? createdAt,
    shortClosedAt: closedAt,
    type: record.tags.includes(typedLabel) ? forms.type() : null,
    draft: isPullRequest ? false : undefined,
    pullRequest: isPullRequest ? forms.pullRequest({ ...common, repositoryUrl }) : undefined,
    hearts,
    reactionCount: common.upvotes + hearts,
    stateReason: stateReason(record),
    privateRepository: isPrivate ? forms.privateRepository(common) : undefined,
  }) as object
}

const discussionReasons: Record<string, string> = { completed: 'RESOLVED', duplicate: 'DUPLICATE' }

/** A node of GraphQL: a discussion, or an issue, of which alone there are labels here. */
export function gitHubNode(record: SimulatedRecord): unknown {
  const { author, category, resolution } = record
  const common = {
    ...commonValues(record),
    text: record.body ?? '',
    author: author && { login: author.handle, url: `https://github.com/${author.handle}` },
  }
  if (category !== undefined) {
    const reason = resolution ? (discussionReasons[resolution] ?? 'OUTDATED') : null
    return forms.discussionNode({ ...common, labels: [], isClosed: resolution !== undefined, reason, category })
  }
  const labels = gitHubLabels(record).map((name) => ({ name }))
  const reason = stateReason(record)?.toUpperCase() ?? null
  return forms.issueNode({ ...common, labels, state: resolution ? 'CLOSED' : 'OPEN', reason })
}
