import type { Discarded, DiscardReason } from '../../../database/column-types.ts'
import {
  asDate,
  asFields,
  asId,
  asInteger,
  asList,
  asName,
  asString,
  type Fields,
  foundRequest,
  readItems,
} from '../../content/fields.ts'
import { cleanTags, htmlToPlainText, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'
import type { Forum } from './forum.ts'

/** The texts with which Discourse replaces a post that its author deleted, in old and new versions. */
const deletedText = /^\((?:post|topic) (?:deleted|withdrawn) by (?:the )?author\b/i
/** The topic that Discourse makes for every category, to describe it. */
const categoryTitle = /^About the .+ category$/

/** The posts of an answer. Without hits the list can be missing; then this object shows that the answer is one of a search. */
export function postsOf(body: Fields | null): unknown[] | null {
  const isMissing = body?.posts === undefined || body.posts === null
  return isMissing ? (asFields(body?.grouped_search_result) ? [] : null) : asList(body.posts)
}

/**
 * The posts of one page with their topics, which are in a list of their own. A topic is one request, however many of its
 * posts match: the number of a topic never changes, while the matching post depends on the search.
 */
export async function readPosts(
  posts: unknown[],
  topics: unknown[],
  forum: Forum,
  discarded: Discarded,
): Promise<FoundRequest[]> {
  const topicsById = new Map(topics.map(asFields).map((topic) => [asId(topic?.id), topic]))
  const seen = new Set<string>()
  return readItems(
    posts,
    (post) => {
      const topicId = asId(post.topic_id)
      if (topicId === null || seen.has(topicId)) return null
      const request = readPost(post, topicId, topicsById.get(topicId) ?? {}, forum)
      if (request) seen.add(topicId)
      return request
    },
    discarded,
  )
}

function readPost(post: Fields, topicId: string, topic: Fields, forum: Forum): FoundRequest | DiscardReason | null {
  const title = titleOf(post, topic)
  // HTML, sometimes with marks around the words that match.
  const description = htmlToPlainText(asString(post.blurb) ?? '')
  if (isGone(post, topic) || deletedText.test(description)) return 'removed'
  if (categoryTitle.test(title)) return null
  const username = asName(post.username)
  const postCount = asInteger(topic.posts_count)
  return foundRequest({
    sourceId: `${forum.name}:${topicId}`,
    sourceUrl: `${forum.baseUrl}/t/${slugPath(topic)}${encodeURIComponent(topicId)}/${asInteger(post.post_number) ?? 1}`,
    title,
    description,
    votes: votesOf(topic) ?? asInteger(post.like_count) ?? asInteger(topic.like_count) ?? 0,
    // Strings until 2025, objects in newer versions.
    tags: cleanTags((asList(topic.tags) ?? []).map((tag) => asFields(tag)?.name ?? tag)),
    commentCount: postCount === null ? null : Math.max(0, postCount - 1),
    authorName: asName(post.name),
    authorHandle: username,
    authorProfileUrl: username && `${forum.baseUrl}/u/${encodeURIComponent(username)}`,
    originalCreatedAt: asDate(post.created_at),
  })
}

function titleOf(post: Fields, topic: Fields): string {
  const title = plainTitle(asString(topic.title) ?? '')
  if (title !== '') return title
  const [html = ''] = [topic.fancy_title, post.topic_title_headline].map(asString).filter((text) => text !== null)
  return plainTitle(htmlToPlainText(html))
}

/** Deleted or hidden. Anonymous callers should not get these, but forums with plugins send them. */
function isGone(post: Fields, topic: Fields): boolean {
  const marks = [topic.deleted_at, post.deleted_at, post.user_deleted, post.hidden]
  return topic.visible === false || marks.some((mark) => mark !== undefined && mark !== null && mark !== false)
}

/** Of the voting plugin; null where it is not installed or the category has no votes: then the likes count. */
function votesOf(topic: Fields): number | null {
  return topic.can_vote === false ? null : asInteger(topic.vote_count)
}

/** The slug is only for readers: a link without it, or with a wrong one, opens the same topic. */
function slugPath(topic: Fields): string {
  const slug = asString(topic.slug) ?? ''
  if (slug === '') return ''
  // Some forums have slugs that are percent-encoded already.
  return `${/^[\w%.~-]{1,300}$/.test(slug) ? slug : encodeURIComponent(slug.slice(0, 300).toWellFormed())}/`
}
