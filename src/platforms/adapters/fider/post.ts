import type { RequestStatus } from '../../../database/column-types.ts'
import { asFields, asId, asList, asString, type Fields, foundRequest } from '../../content/fields.ts'
import type { ItemResult } from '../../content/items.ts'
import { cleanTags, markdownToPlainText, plainTitle } from '../../content/text.ts'
import { boardName } from './source.ts'

/** app/models/enum/post_status.go of getfider/fider. */
const statuses: ReadonlyMap<unknown, RequestStatus> = new Map<unknown, RequestStatus>([
  ['open', 'open'],
  ['started', 'in_progress'],
  ['planned', 'planned'],
  ['completed', 'completed'],
  ['declined', 'declined'],
  ['duplicate', 'duplicate'],
])

const slugOf = (value: unknown) => /^[\p{L}\p{N}_-]{1,200}$/u.exec(asString(value) ?? '')?.[0]

/** Reads a post of a board, without the staff's response. @returns null without a number */
export function readPost(address: string, post: Fields): ItemResult {
  const number = asId(post.number)
  if (post.status === 'deleted') return 'removed'
  // Only author and staff see a post awaiting approval.
  if (post.isApproved === false) return 'notPublic'
  if (number === null || !/^\d+$/.test(number)) return null
  const name = boardName(address)
  const slug = slugOf(post.slug)
  return foundRequest({
    sourceId: `${name}:${number}`,
    sourceUrl: `${address.replace(/\/+$/, '')}/posts/${number}${slug === undefined ? '' : `/${encodeURIComponent(slug)}`}`,
    title: plainTitle(asString(post.title) ?? ''),
    description: markdownToPlainText(asString(post.description) ?? ''),
    votes: post.votesCount,
    commentCount: post.commentsCount,
    tags: cleanTags(asList(post.tags) ?? []),
    authorName: asFields(post.user)?.name,
    originalCreatedAt: post.createdAt,
    status: statuses.get(post.status) ?? null,
    statusChangedAt: post.status === 'open' ? null : asFields(post.response)?.respondedAt,
    sourceName: name,
  })
}
