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
import { cleanTags, markdownToPlainText, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'
import { discussionHandle } from './handle.ts'
import { statusOfIssue } from './status.ts'

/** What both kinds of nodes have of their repository. */
export const repositoryFields = 'repository { nameWithOwner isPrivate visibility }'

/** The fields of a discussion. `upvoteCount` are its votes. */
export const discussionFields = `id url title body createdAt closed closedAt stateReason upvoteCount
  author { login url } category { name } labels(first: 20) { nodes { name } } comments { totalCount } ${repositoryFields}`

/** A discussion; null when it has no id or address. */
export function readDiscussion(node: Fields): FoundRequest | 'notPublic' | null {
  if (isInPrivateRepository(node)) return 'notPublic'
  const nodeId = asId(node.id)
  const sourceUrl = asWebUrl(node.url)
  if (nodeId === null || sourceUrl === null) return null
  const author = asFields(node.author)
  const labels = labelNames(node)
  const isClosed = node.closed === true
  const repository = repositoryName(node)
  const reason = asString(node.stateReason)?.toLowerCase() ?? null
  return foundRequest({
    // Numbers of issues have no prefix, so the two never collide.
    sourceId: `discussion:${nodeId}`,
    sourceUrl,
    title: plainTitle(asString(node.title) ?? ''),
    description: markdownToPlainText(asString(node.body) ?? ''),
    votes: asInteger(node.upvoteCount) ?? 0,
    tags: cleanTags([categoryOf(node), ...labels]),
    commentCount: asInteger(asFields(node.comments)?.totalCount),
    authorHandle: asName(author?.login),
    authorProfileUrl: asWebUrl(author?.url),
    originalCreatedAt: asDate(node.createdAt),
    status: statusOfIssue({ isClosed, reason, labels: cleanTags(labels) }),
    statusChangedAt: isClosed ? asDate(node.closedAt) : null,
    sourceName: repository,
    refreshHandle: discussionHandle(nodeId, repository),
  })
}

/**
 * Whether its category is one for wishes, by its name: `category:` of a search may be ignored, and in the repository of an
 * account all categories are searched.
 */
export function isInIdeaCategory(node: Fields): boolean {
  const name = categoryOf(node) ?? ''
  return /\b(?:ideas?|features?|suggest(?:ions?)?|propos(?:als?|ed)|wish(?:es|list)?|enhancements?|improvements?|requests?|rfcs?)\b/i.test(
    name.replace(/_/g, ' '),
  )
}

function isInPrivateRepository(node: Fields): boolean {
  const repository = asFields(node.repository)
  const visibility = asString(repository?.visibility) ?? 'PUBLIC'
  return (repository?.isPrivate ?? false) !== false || visibility.toUpperCase() !== 'PUBLIC'
}

/** `owner/repository`. */
export function repositoryName(node: Fields): string | null {
  const repository = asFields(node.repository)
  const owner = asName(asFields(repository?.owner)?.login)
  const name = asName(repository?.name)
  return asName(repository?.nameWithOwner) ?? (owner === null || name === null ? null : `${owner}/${name}`)
}

export const labelNames = (node: Fields): unknown[] =>
  (asList(asFields(node.labels)?.nodes) ?? []).map((label) => asFields(label)?.name)

const categoryOf = (node: Fields): string | null => asString(asFields(node.category)?.name)
