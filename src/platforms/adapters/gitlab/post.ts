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

/** An issue; null for a confidential one, an item of another type, or one without an id or address. */
export function readIssue(issue: Fields): FoundRequest | null {
  const sourceId = asId(issue.id)
  const sourceUrl = asWebUrl(issue.web_url)
  if (sourceId === null || sourceUrl === null || !isPublicIssue(issue)) return null
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
function isPublicIssue({ confidential, issue_type: type }: Fields): boolean {
  return (confidential ?? false) === false && type !== 'incident' && type !== 'test_case'
}
