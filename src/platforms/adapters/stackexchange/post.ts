import type { RequestStatus } from '../../../database/column-types.ts'
import {
  asEpochSeconds,
  asFields,
  asId,
  asInteger,
  asList,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import { cleanTags, escapedTitle, htmlToPlainText } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'
import { siteHost } from './source.ts'

/** Tags set by moderators (meta.stackexchange.com/q/402121). `status-review` is no decision yet. */
const statusTags: readonly (readonly [string, RequestStatus])[] = [
  ['status-completed', 'completed'],
  ['status-declined', 'declined'],
  ['status-planned', 'planned'],
  ['status-deferred', 'planned'],
  // Meant for bug reports; on a feature request it says that nothing will change.
  ['status-bydesign', 'declined'],
]

/** The status that the tags of a question tell; null for none. */
export function statusOfTags(tags: readonly string[]): RequestStatus | null {
  return statusTags.find(([tag]) => tags.includes(tag))?.[1] ?? null
}

/** Tags are the decision. Closing is moderation and ranks second: as a duplicate, or without meaning for the wish. */
export function statusOfQuestion(
  tags: readonly string[],
  closing: { isClosed: boolean; reason: string | null },
): RequestStatus {
  const decided = statusOfTags(tags)
  if (decided !== null) return decided
  if (!closing.isClosed) return 'open'
  return /duplicate/i.test(closing.reason ?? '') ? 'duplicate' : 'closed'
}

/** A question of one site; null when it has no id. */
export function readQuestion(question: Fields, site: string): FoundRequest | null {
  const questionId = asId(question.question_id)
  if (questionId === null) return null
  // A deleted user has a name at most.
  const owner = asFields(question.owner)
  const tags = cleanTags(asList(question.tags) ?? [])
  const closedAt = asEpochSeconds(question.closed_date)
  // A question that migrated is closed here, and goes on at another site.
  const isClosed = closedAt !== null || asFields(question.migrated_to) !== null
  const status = statusOfQuestion(tags, { isClosed, reason: asString(question.closed_reason) })
  return foundRequest({
    // Numbers are only unique within their site.
    sourceId: `${site}:${questionId}`,
    sourceUrl: asWebUrl(question.link) ?? `https://${siteHost(site)}/q/${encodeURIComponent(questionId)}`,
    title: escapedTitle(asString(question.title) ?? ''),
    description: htmlToPlainText(asString(question.body) ?? ''),
    votes: question.score,
    tags,
    commentCount: asInteger(question.comment_count) ?? asInteger(question.answer_count),
    authorName: escapedTitle(asString(owner?.display_name) ?? ''),
    authorHandle: asId(owner?.user_id),
    authorProfileUrl: owner?.link,
    license: question.content_license,
    originalCreatedAt: asEpochSeconds(question.creation_date),
    status,
    // No answer has the date of a tag.
    statusChangedAt: status === 'duplicate' || status === 'closed' ? closedAt : null,
    sourceName: site,
    refreshHandle: `${site}:${questionId}`,
  })
}
