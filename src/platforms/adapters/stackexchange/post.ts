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
  // For bug reports; on a feature request it means that nothing will change.
  ['status-bydesign', 'declined'],
]

/** The status from a question's tags; null if none. */
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

/** Reads a question of a site; null without an id. */
export function readQuestion(question: Fields, site: string): FoundRequest | null {
  const questionId = asId(question.question_id)
  if (questionId === null) return null
  // A deleted user has only a name.
  const owner = asFields(question.owner)
  const tags = cleanTags(asList(question.tags) ?? [])
  const closedAt = asEpochSeconds(question.closed_date)
  // A migrated question is closed here and continues elsewhere.
  const isClosed = closedAt !== null || asFields(question.migrated_to) !== null
  const status = statusOfQuestion(tags, { isClosed, reason: asString(question.closed_reason) })
  return foundRequest({
    // Numbers are unique only within a site.
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
    // Answers never contain a tag's date.
    statusChangedAt: status === 'duplicate' || status === 'closed' ? closedAt : null,
    sourceName: site,
    refreshHandle: `${site}:${questionId}`,
  })
}
