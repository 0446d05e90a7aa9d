import { resolvedAt, type SimulatedRecord } from '../records.ts'

const pageHost = 'https://github.com'

export function repository(record: SimulatedRecord): string {
  const name = record.product.toLowerCase().replaceAll(' ', '-')
  return `${name}-org/${name}`
}

export function issueNumber(record: SimulatedRecord): number {
  return (record.id % 2_147_483_647) + 1
}

/** The id in GraphQL. Its form differs, so that a client cannot take one kind for the other. */
export function nodeId(record: SimulatedRecord): string {
  const prefix = record.category === undefined ? 'I_' : 'D_'
  return `${prefix}${Buffer.from(`${record.id}`).toString('base64url')}`
}

/** The page of an issue, pull request or discussion, as a person opens it. */
export function itemUrl(record: SimulatedRecord): string {
  const folder = record.category !== undefined ? 'discussions' : record.kind === 'pull_request' ? 'pull' : 'issues'
  return `${pageHost}/${repository(record)}/${folder}/${issueNumber(record)}`
}

/** The issue type of an organisation; wishes with this label have it instead of a label for wishes. */
export const typedLabel = 'typed'

/** Every issue but a bug is an enhancement or typed, so that a search by both misses none; the second label varies. */
export function gitHubLabels(record: SimulatedRecord): string[] {
  if (record.kind === 'pull_request') return []
  const own = record.tags.filter((tag) => tag !== typedLabel)
  const closing = record.resolution === 'stale' ? ['Stale'] : []
  const isWish = !record.tags.includes('bug') && !record.tags.includes(typedLabel)
  return isWish ? ['enhancement', ...own, ...closing] : [...own, ...closing]
}

/** Bots that close stale issues give no reason, which GitHub stores as `completed`. A moved one is closed without any. */
export function stateReason(record: SimulatedRecord): string | null {
  if (record.resolution === 'stale') return 'completed'
  return record.resolution === 'moved' ? null : (record.resolution ?? null)
}

function userObject(author: NonNullable<SimulatedRecord['author']>, apiUrl: string): object {
  const url = `${apiUrl}/users/${author.handle}`
  return {
    login: author.handle,
    id: author.id,
    node_id: Buffer.from(`04:User${author.id}`).toString('base64'),
    avatar_url: `https://avatars.githubusercontent.com/u/${author.id}?v=4`,
    gravatar_id: '',
    url,
    html_url: `${pageHost}/${author.handle}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: 'User',
    user_view_type: 'public',
    site_admin: false,
  }
}

function labelObjects(record: SimulatedRecord, repositoryUrl: string): object[] {
  return gitHubLabels(record).map((name, index) => ({
    id: 1_000_000 + name.length * 100 + index,
    node_id: Buffer.from(`05:Label${name}`).toString('base64'),
    url: `${repositoryUrl}/labels/${encodeURIComponent(name)}`,
    name,
    color: 'a2eeef',
    default: name === 'enhancement',
    description: null,
  }))
}

function reactions(record: SimulatedRecord, url: string): object {
  const plusOnes = Math.max(0, record.votes)
  const others = { '-1': 0, laugh: 0, hooray: 0, confused: 0, heart: record.commentCount % 3, rocket: 0, eyes: 0 }
  return { url: `${url}/reactions`, total_count: plusOnes + others.heart, '+1': plusOnes, ...others }
}

/** One element of `items`, with every field that the search answers today. */
export function gitHubItem(record: SimulatedRecord, apiUrl: string, isPrivate = false): object {
  const repositoryUrl = `${apiUrl}/repos/${repository(record)}`
  const url = `${repositoryUrl}/issues/${issueNumber(record)}`
  const createdAt = record.createdAt.toISOString().replace('.000Z', 'Z')
  const closedAt = resolvedAt(record).toISOString().replace('.000Z', 'Z')
  const pullUrl = itemUrl(record)
  const pullRequest = {
    url: `${repositoryUrl}/pulls/${issueNumber(record)}`,
    html_url: pullUrl,
    diff_url: `${pullUrl}.diff`,
    patch_url: `${pullUrl}.patch`,
    merged_at: null,
  }
  return {
    url,
    repository_url: repositoryUrl,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: itemUrl(record),
    id: record.id,
    node_id: nodeId(record),
    number: issueNumber(record),
    title: record.title,
    user: record.author ? userObject(record.author, apiUrl) : null,
    labels: labelObjects(record, repositoryUrl),
    state: record.resolution ? 'closed' : 'open',
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: record.commentCount,
    created_at: createdAt,
    updated_at: record.resolution ? closedAt : createdAt,
    closed_at: record.resolution ? closedAt : null,
    author_association: 'NONE',
    type: record.tags.includes(typedLabel) ? { id: 1, node_id: 'IT_1', name: 'Feature', description: null } : null,
    active_lock_reason: null,
    ...(record.kind === 'pull_request' ? { draft: false, pull_request: pullRequest } : {}),
    body: record.body,
    reactions: reactions(record, url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: stateReason(record),
    score: 1,
    ...(isPrivate ? { repository: { full_name: repository(record), private: true, visibility: 'private' } } : {}),
  }
}
