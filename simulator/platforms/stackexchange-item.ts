import { resolvedAt, type SimulatedRecord } from '../records.ts'
import { escapeHtml, htmlFromText } from '../wire-text.ts'

const ownDomains = new Set(['stackoverflow', 'meta.stackoverflow', 'superuser', 'serverfault', 'askubuntu'])

function siteUrl(site: string): string {
  if (site.includes('.') && site.split('.').length > 2) return `https://${site}`
  return ownDomains.has(site) ? `https://${site}.com` : `https://${site}.stackexchange.com`
}

/** The page of a question, as a person opens it. */
export function questionLink(record: SimulatedRecord, site: string): string {
  const slug = record.title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80)
  return `${siteUrl(site)}/questions/${record.id}/${slug}`
}

/** Moderators tag a decision; a question that was only closed has none. */
const statusTags: Record<string, string[]> = { completed: ['status-completed'], not_planned: ['status-declined'] }

/** Closing is moderation of the question. One that migrated is closed here. */
function closing(record: SimulatedRecord): object {
  const closedDate = { closed_date: Math.floor(resolvedAt(record).getTime() / 1_000) }
  if (record.resolution === 'duplicate') return { ...closedDate, closed_reason: 'Duplicate' }
  if (record.resolution === 'stale') return { ...closedDate, closed_reason: 'Needs details or clarity' }
  if (record.resolution !== 'moved') return {}
  return { migrated_to: { on_date: closedDate.closed_date, question_id: record.id + 1, other_site: {} } }
}

/** Every question asks for a feature, so that a search by that tag misses none. */
export function questionTags(record: SimulatedRecord): string[] {
  return [
    record.tags.includes('bug') ? 'support' : 'feature-request',
    ...(statusTags[record.resolution ?? ''] ?? []),
    ...record.tags.map((tag) => tag.replaceAll(' ', '-')).filter((tag) => tag !== 'feature-request'),
  ]
}

function owner(record: SimulatedRecord, site: string): object {
  const { author } = record
  if (!author) return { user_type: 'does_not_exist', display_name: `user${record.id % 100_000}` }
  const slug = author.name.toLowerCase().replace(/[^a-z]+/g, '-')
  return {
    account_id: author.id + 7,
    reputation: author.id % 20_000,
    user_id: author.id,
    user_type: 'registered',
    profile_image: 'https://www.gravatar.com/avatar/00000000000000000000000000000000?s=256&d=identicon&r=PG',
    display_name: escapeHtml(author.name, 'stackexchange'),
    link: `${siteUrl(site)}/users/${author.id}/${slug}`,
  }
}

/** One element of `items`: titles and names come escaped, the body only by a filter that asks for it. */
export function stackExchangeItem(record: SimulatedRecord, site: string, withBody: boolean): object {
  const createdAt = Math.floor(record.createdAt.getTime() / 1_000)
  return {
    tags: questionTags(record),
    owner: owner(record, site),
    is_answered: record.commentCount > 3,
    view_count: record.commentCount * 97 + 11,
    answer_count: record.commentCount,
    score: record.votes,
    last_activity_date: createdAt + 3_600,
    creation_date: createdAt,
    question_id: record.id,
    content_license: 'CC BY-SA 4.0',
    link: questionLink(record, site),
    title: escapeHtml(record.title, 'stackexchange'),
    ...closing(record),
    ...(withBody ? { body: htmlFromText(record.body ?? '', 'stackexchange') } : {}),
  }
}
