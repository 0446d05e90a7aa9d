import type { DiscardReason } from '../../../database/column-types.ts'
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

/** An issue; null for an item of another type, or for an issue without an id or address. */
export function readIssue(issue: Fields): FoundRequest | DiscardReason | null {
  const sourceId = asId(issue.id)
  const sourceUrl = asWebUrl(issue.web_url)
  if (sourceId === null || sourceUrl === null || !isIssue(issue)) return null
  if ((issue.confidential ?? false) !== false) return 'notPublic'
  const author = asFields(issue.author)
  return foundRequest({
    sourceId,
    sourceUrl,
    title: plainTitle(asString(issue.title) ?? ''),
    description: markdownToPlainText(asString(issue.description) ?? ''),
    votes: asInteger(issue.upvotes) ?? 0,
    // With `with_labels_details`, which some proxies add, a label is an object.
    tags: cleanTags((asList(issue.labels) ?? []).map((label) => asFields(label)?.name ?? label)),
    commentCount: asInteger(issue.user_notes_count),
    authorName: asName(author?.name),
    authorHandle: asName(author?.username),
    authorProfileUrl: asWebUrl(author?.web_url),
    originalCreatedAt: asDate(issue.created_at),
  })
}

/**
 * The query excludes the others, but older servers ignore its parameters. With a token, confidential issues would come too,
 * which not every account of Wishwell may read.
 */
function isIssue({ issue_type: type }: Fields): boolean {
  return type !== 'incident' && type !== 'test_case'
}
