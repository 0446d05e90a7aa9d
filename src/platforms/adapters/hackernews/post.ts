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

/** A story or comment; null without an id. Newer bodies leave out a missing field, older ones have null. */
export function readHit(hit: Fields): FoundRequest | null {
  const sourceId = asId(hit.objectID)
  if (sourceId === null) return null
  const author = asName(hit.author)
  const text = [hit.comment_text, hit.story_text].map(asString).find((candidate) => candidate) ?? ''
  // A comment has no title of its own. `url` is the page that a story links to, not the story.
  const title = [hit.title, hit.story_title].map(asString).find((candidate) => candidate) ?? ''
  return foundRequest({
    sourceId,
    sourceUrl: `https://news.ycombinator.com/item?id=${encodeURIComponent(sourceId)}`,
    title: plainTitle(title),
    description: htmlToPlainText(text),
    votes: asInteger(hit.points) ?? 0,
    tags: cleanTags((asList(hit._tags) ?? []).filter((tag) => !/^(author|story|poll)_/.test(asString(tag) ?? ''))),
    commentCount: asInteger(hit.num_comments),
    authorHandle: author,
    authorProfileUrl: author && `https://news.ycombinator.com/user?id=${encodeURIComponent(author)}`,
    originalCreatedAt: asDate(hit.created_at) ?? asEpochSeconds(hit.created_at_i),
  })
}
