import { asFields, asId, asInteger, asList, asName, asString, type Fields, foundRequest } from '../../content/fields.ts'
import { type ItemResult, type ReadItems, readItems } from '../../content/items.ts'
import { htmlToPlainText, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'
import type { Forum } from './forum.ts'
import { discourseStatus, tagNames } from './status.ts'

/**
 * Forum and category: `forum.obsidian.md: feature requests`. A search names the category only if that name matches;
 * otherwise the configured slug applies, the only category its filter admits.
 */
function sourceNameOf(forum: Forum, topic: Fields, categories: unknown[]): string {
  const id = asId(topic.category_id)
  const known = categories.map(asFields).find((category) => id !== null && asId(category?.id) === id)
  const category = asName(known?.name) ?? configuredCategory(forum)
  return asName(category === null ? forum.name : `${forum.name}: ${category}`) ?? forum.name
}

function configuredCategory({ part }: Forum): string | null {
  const slug = part?.kind === 'category' ? part.slugs.at(-1) : undefined
  return slug === undefined ? null : slug.replace(/[-_]+/g, ' ').trim()
}

interface Blurb {
  text: string
  isExcerpt: boolean
}

/** A longer text without a space is in a script without spaces. */
const longestWord = 40

/**
 * Reads a `blurb`: 200 characters around the match, "..." where text is cut (lib/search/grouped_search_results.rb),
 * without the partial word at its start.
 */
export function readBlurb(html: string): Blurb {
  // HTML, sometimes with marks around matches.
  const text = htmlToPlainText(html)
  const start = /^(?:\.{3}|…)\s*/.exec(text)?.[0]
  const isExcerpt = start !== undefined || /(?:\.{3}|…)$/.test(text)
  if (start === undefined) return { text, isExcerpt }
  const shown = text.slice(start.length)
  const space = shown.search(/\s/)
  // A space after the mark shows that the cut is between words.
  const isPart = !/\s$/.test(start) && space >= 0 && space <= longestWord
  return { text: `… ${(isPart ? shown.slice(space) : shown).trimStart()}`, isExcerpt }
}

/** What Discourse, old and new, shows in place of a post its author deleted. */
const deletedText = /^\((?:post|topic) (?:deleted|withdrawn) by (?:the )?author\b/i
/** The topic Discourse creates to describe each category. */
const categoryTitle = /^About the .+ category$/
/** Id of a like among a post's actions (post_action_type.rb). */
const likeAction = 2

/** Without hits the list may be missing; `grouped_search_result` shows that this is still a search. */
export function postsOf(body: Fields | null): unknown[] | null {
  const isMissing = body?.posts === undefined || body.posts === null
  return isMissing ? (asFields(body?.grouped_search_result) ? [] : null) : asList(body.posts)
}

/** Makes one request per topic: its number is stable, while the matching post depends on the search. */
export async function readPosts(posts: unknown[], body: Fields | null, forum: Forum): Promise<ReadItems> {
  const topics = (asList(body?.topics) ?? []).map(asFields)
  const topicsById = new Map(topics.map((topic) => [asId(topic?.id), topic]))
  const seen = new Set<string>()
  return readItems(posts, (post) => {
    const topicId = asId(post.topic_id)
    if (topicId === null || seen.has(topicId)) return null
    const topic = topicsById.get(topicId) ?? {}
    const { text, isExcerpt } = readBlurb(asString(post.blurb) ?? '')
    const source = sourceNameOf(forum, topic, asList(body?.categories) ?? [])
    const result = readTopic({ post, topic, topicId, text, isExcerpt, source, forum })
    if (result !== null && typeof result !== 'string') seen.add(topicId)
    return result
  })
}

/** Reads a topic page (`GET /t/<id>.json`) with its whole first post. @returns null if it is none */
export function readTopicPage(body: unknown, forum: Forum): ItemResult {
  const topic = asFields(body)
  const posts = (asList(asFields(topic?.post_stream)?.posts) ?? []).map(asFields)
  const post = posts.find((candidate) => candidate?.post_number === 1)
  const topicId = asId(topic?.id)
  if (!topic || !post || topicId === null) return null
  const text = htmlToPlainText(asString(post.cooked) ?? '')
  const source = sourceNameOf(forum, topic, [])
  return readTopic({ post, topic, topicId, text, isExcerpt: false, source, forum })
}

interface TopicParts {
  post: Fields
  topic: Fields
  topicId: string
  text: string
  isExcerpt: boolean
  source: string
  forum: Forum
}

function readTopic({ post, topic, topicId, text, isExcerpt, source, forum }: TopicParts): ItemResult {
  const title = titleOf(post, topic)
  if (isGone(post, topic) || deletedText.test(text)) return 'removed'
  if (categoryTitle.test(title)) return null
  const username = asName(post.username)
  const postCount = asInteger(topic.posts_count)
  return foundRequest({
    sourceId: `${forum.name}:${topicId}`,
    sourceUrl: `${forum.baseUrl}/t/${slugPath(topic)}${encodeURIComponent(topicId)}/${asInteger(post.post_number) ?? 1}`,
    title,
    description: text,
    excerpt: isExcerpt,
    votes: votesOf(topic) ?? likesOf(post) ?? asInteger(topic.like_count) ?? 0,
    tags: tagNames(topic),
    commentCount: postCount === null ? null : Math.max(0, postCount - 1),
    authorName: post.name,
    authorHandle: username,
    authorProfileUrl: username && `${forum.baseUrl}/u/${encodeURIComponent(username)}`,
    originalCreatedAt: post.created_at,
    status: discourseStatus(topic),
    sourceName: source,
  })
}

/** The topic number within a request's `sourceId`. */
export function topicIdOf({ sourceId }: FoundRequest, forum: Forum): string {
  return sourceId.slice(forum.name.length + 1)
}

function titleOf(post: Fields, topic: Fields): string {
  const title = plainTitle(asString(topic.title) ?? '')
  if (title !== '') return title
  const [html = ''] = [topic.fancy_title, post.topic_title_headline].map(asString).filter((text) => text !== null)
  return plainTitle(htmlToPlainText(html))
}

/** Deleted or hidden posts: anonymous callers should not get them, but forums with plugins send them. */
function isGone(post: Fields, topic: Fields): boolean {
  const marks = [topic.deleted_at, post.deleted_at, post.user_deleted, post.hidden]
  return topic.visible === false || marks.some((mark) => mark !== undefined && mark !== null && mark !== false)
}

/** Votes of the voting plugin; null if it is not installed or off for the category (likes are used then). */
function votesOf(topic: Fields): number | null {
  return topic.can_vote === false ? null : asInteger(topic.vote_count)
}

/** A search states the count; a topic page lists it among the actions and omits zero. */
function likesOf(post: Fields): number | null {
  const count = asInteger(post.like_count)
  const actions = asList(post.actions_summary)
  if (count !== null || actions === null) return count
  return asInteger(actions.map(asFields).find((action) => action?.id === likeAction)?.count) ?? 0
}

/** Cosmetic: Discourse opens the same topic with a wrong slug or none. */
function slugPath(topic: Fields): string {
  const slug = asString(topic.slug) ?? ''
  if (slug === '') return ''
  // Some forums have percent-encoded slugs.
  return `${/^[\w%.~-]{1,300}$/.test(slug) ? slug : encodeURIComponent(slug.slice(0, 300).toWellFormed())}/`
}
