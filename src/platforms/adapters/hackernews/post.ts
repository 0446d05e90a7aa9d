import {
  asDate,
  asEpochSeconds,
  asId,
  asInteger,
  asList,
  asName,
  asString,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import { cleanTags, htmlToPlainText, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'

/** What Algolia's index marks an item with to search for its kind, author or story; `ask_hn` and `show_hn` say what it is about. */
const pseudoTag = /^(?:story|comment|poll|pollopt|job|front_page|(?:author|story|poll)_.*)$/
const removedText = /^\[(?:deleted|flagged|dead)\]$/i

/**
 * A story or comment; null without an id, `removed` for one that is deleted or dead. Newer bodies leave out a missing field,
 * older ones have null.
 */
export function readHit(hit: Fields, webUrl: string): FoundRequest | 'removed' | null {
  const sourceId = asId(hit.objectID)
  if (sourceId === null) return null
  const description = htmlToPlainText([hit.comment_text, hit.story_text].map(asString).find((text) => text) ?? '')
  if (hit.deleted === true || hit.dead === true || removedText.test(description)) return 'removed'
  const author = asName(hit.author)
  // A comment has no title of its own. `url` is the page that a story links to, not the story.
  const title = [hit.title, hit.story_title].map(asString).find((candidate) => candidate) ?? ''
  return foundRequest({
    sourceId,
    sourceUrl: `${webUrl}/item?id=${encodeURIComponent(sourceId)}`,
    title: plainTitle(title),
    description,
    votes: asInteger(hit.points) ?? 0,
    tags: cleanTags((asList(hit._tags) ?? []).filter((tag) => !pseudoTag.test(asString(tag) ?? ''))),
    commentCount: asInteger(hit.num_comments),
    authorHandle: author,
    authorProfileUrl: author && `${webUrl}/user?id=${encodeURIComponent(author)}`,
    originalCreatedAt: asDate(hit.created_at) ?? asEpochSeconds(hit.created_at_i),
  })
}
