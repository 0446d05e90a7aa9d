import type { SimulatedRecord } from '../records.ts'

const siteUrl = 'https://www.reddit.com'

/** The fullname of a post: its kind and its number in base 36. */
export function postName(record: SimulatedRecord): string {
  return `t3_${record.id.toString(36)}`
}

export function community(record: SimulatedRecord): string {
  return record.product.replaceAll(' ', '')
}

function permalink(record: SimulatedRecord): string {
  const slug = record.title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 50)
    .toWellFormed()
  return `/r/${community(record)}/comments/${record.id.toString(36)}/${slug}/`
}

/** The page of a post, as a person opens it. */
export function postUrl(record: SimulatedRecord): string {
  return siteUrl + permalink(record)
}

/** Communities name their flairs as they like. */
export function flair(record: SimulatedRecord): string | null {
  return record.tags[0] ?? null
}

/** Fields that only moderators see, and fields that a text post does not have. */
const emptyFields = Object.fromEntries(
  `approved_at_utc mod_reason_title link_flair_css_class top_awarded_type thumbnail_height thumbnail_width
  author_flair_background_color author_flair_template_id secure_media category approved_by author_flair_css_class mod_note
  banned_by likes suggested_sort banned_at_utc view_count author_flair_text removed_by num_reports distinguished
  mod_reason_by removal_reason report_reasons discussion_type author_flair_text_color media`
    .split(/\s+/)
    .map((name) => [name, null]),
)

const noFields = Object.fromEntries(
  `saved clicked hidden hide_score quarantine is_original_content is_reddit_media_domain is_meta can_mod_post author_premium
  edited archived no_follow is_crosspostable pinned over_18 media_only can_gild spoiler locked visited stickied is_video
  contest_mode author_patreon_flair allow_live_comments`
    .split(/\s+/)
    .map((name) => [name, false]),
)

function texts(record: SimulatedRecord, isRemoved: boolean): Record<string, string | null> {
  const text = isRemoved ? '[removed]' : (record.body ?? '')
  const html = text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character]!)
  return {
    title: record.title,
    selftext: text,
    selftext_html: text === '' ? null : `<!-- SC_OFF --><div class="md"><p>${html}</p>\n</div><!-- SC_ON -->`,
    link_flair_text: flair(record),
  }
}

/** Without `raw_json` every text comes escaped. */
function escapeTexts(values: Record<string, string | null>): Record<string, string | null> {
  const entries = Object.entries(values).map(([name, text]) => {
    return [name, text?.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') ?? null]
  })
  return Object.fromEntries(entries)
}

/** The fields of media, awards and moderation that every post has. */
const fixedFields = {
  author_flair_type: 'text',
  author_flair_richtext: [],
  is_self: true,
  post_hint: 'self',
  thumbnail: 'self',
  downs: 0,
  upvote_ratio: 0.9,
  num_crossposts: 0,
  gilded: 0,
  gildings: {},
  total_awards_received: 0,
  all_awardings: [],
  awarders: [],
  treatment_tags: [],
  user_reports: [],
  mod_reports: [],
  content_categories: null,
  link_flair_richtext: [],
  link_flair_type: 'text',
  link_flair_text_color: 'dark',
  link_flair_background_color: '',
  media_embed: {},
  secure_media_embed: {},
  pwls: 6,
  wls: 6,
  whitelist_status: 'all_ads',
  parent_whitelist_status: 'all_ads',
  send_replies: true,
}

const communityFields = (record: SimulatedRecord) => ({
  subreddit: community(record),
  subreddit_name_prefixed: `r/${community(record)}`,
  subreddit_id: `t5_${record.product.length.toString(36)}`,
  subreddit_type: record.fate === 'private' ? 'private' : 'public',
  subreddit_subscribers: 4_711,
  domain: `self.${community(record)}`,
})

/** One element of `children`. */
export function redditPost(record: SimulatedRecord, isRaw: boolean): object {
  const isRemoved = record.kind === 'pull_request' || record.fate === 'removed'
  const values = texts(record, isRemoved)
  const createdAt = Math.floor(record.createdAt.getTime() / 1_000)
  const { author } = record
  const data = {
    ...emptyFields,
    ...noFields,
    ...(isRaw ? values : escapeTexts(values)),
    ...fixedFields,
    ...communityFields(record),
    ...(author ? { author_fullname: `t2_${author.id.toString(36)}` } : {}),
    author: author?.handle ?? '[deleted]',
    name: postName(record),
    id: record.id.toString(36),
    permalink: permalink(record),
    url: postUrl(record),
    score: record.votes,
    ups: Math.max(0, record.votes),
    num_comments: record.commentCount,
    is_robot_indexable: !isRemoved,
    removed_by_category: isRemoved ? 'moderator' : null,
    // The clock of the server is eight hours ahead.
    created: createdAt + 28_800,
    created_utc: createdAt + 0.5,
  }
  return { kind: 't3', data }
}
