import type { SimulatedRecord } from '../records.ts'
import { escapeHtml } from '../wire-text.ts'

/** The only category of these forums, so that a search in it misses none. */
export const category = { id: 13, name: 'Feature Requests', slug: 'feature-requests' }

/** How these forums mark what became of a wish. */
const outcomeTags: Record<string, string> = { completed: 'completed', not_planned: 'declined', duplicate: 'duplicate' }

const blurbCharacters = 200

export function topicId(record: SimulatedRecord): number {
  return record.id
}

export function topicSlug(record: SimulatedRecord): string {
  const slug = record.title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return slug.replace(/^-+|-+$/g, '') || 'topic'
}

export function topicTags(record: SimulatedRecord): string[] {
  const outcome = record.resolution && outcomeTags[record.resolution]
  const own = [...record.tags, ...(outcome ? [outcome] : [])].map((tag) => tag.replaceAll(' ', '-'))
  return record.tags.includes('bug') ? own : [...new Set(['feature-request', ...own])]
}

/** An excerpt, HTML-escaped, as the search shows it. */
function blurb(record: SimulatedRecord): string {
  const characters = [...(record.body ?? '')]
  const start = characters.slice(0, blurbCharacters).join('').replaceAll('\n', ' ')
  return escapeHtml(characters.length > blurbCharacters ? `${start}...` : start, 'stackexchange')
}

const isoTime = (record: SimulatedRecord) => record.createdAt.toISOString()

/** One element of `posts`. Who has left the forum is anonymous, and many have no name. */
export function discoursePost(record: SimulatedRecord, hasVotes: boolean): object {
  const username = record.author?.handle ?? 'anon4711'
  return {
    id: topicId(record) + 1,
    name: record.author ? (record.author.id % 3 === 0 ? '' : record.author.name) : null,
    username,
    avatar_template: `/user_avatar/forum.example/${username}/{size}/1_2.png`,
    created_at: isoTime(record),
    like_count: hasVotes ? 0 : Math.max(0, record.votes),
    blurb: blurb(record),
    post_number: 1,
    topic_title_headline: escapeHtml(record.title, 'stackexchange'),
    topic_id: topicId(record),
  }
}

/** One element of `topics`; in new versions tags are objects, and with the voting plugin there are votes. */
export function discourseTopic(record: SimulatedRecord, isNew: boolean): object {
  const tags = topicTags(record)
  const votes = { vote_count: Math.max(0, record.votes), can_vote: true, user_voted: false }
  return {
    id: topicId(record),
    title: record.title,
    fancy_title: escapeHtml(record.title, 'stackexchange'),
    slug: topicSlug(record),
    posts_count: record.commentCount + 1,
    reply_count: record.commentCount,
    highest_post_number: record.commentCount + 1,
    created_at: isoTime(record),
    last_posted_at: isoTime(record),
    bumped: true,
    bumped_at: isoTime(record),
    archetype: 'regular',
    unseen: false,
    pinned: false,
    unpinned: null,
    visible: record.fate !== 'removed',
    closed: record.resolution !== undefined,
    archived: record.fate === 'archived',
    bookmarked: null,
    liked: null,
    tags: isNew ? tags.map((name, index) => ({ id: index + 1, name, slug: name })) : tags,
    tags_descriptions: {},
    category_id: category.id,
    has_accepted_answer: record.resolution === 'completed',
    ...(isNew ? votes : {}),
  }
}

/** `GET /t/<id>.json`: the topic with its first posts. */
export function discourseTopicPage(record: SimulatedRecord, isNew: boolean): object {
  const {
    blurb: _,
    like_count,
    topic_title_headline: __,
    ...post
  } = discoursePost(record, isNew) as Record<string, unknown>
  const cooked = (record.body ?? '')
    .split('\n\n')
    .map((paragraph) => `<p>${escapeHtml(paragraph, 'stackexchange')}</p>`)
    .join('\n')
  const likes = like_count === 0 ? [] : [{ id: 2, count: like_count }]
  const first = {
    ...post,
    cooked,
    post_type: 1,
    actions_summary: likes,
    hidden: false,
    deleted_at: null,
    user_deleted: false,
  }
  return {
    ...discourseTopic(record, isNew),
    post_stream: { posts: [first], stream: [post.id] },
    deleted_at: null,
    timeline_lookup: [[1, 0]],
    word_count: 100,
  }
}
