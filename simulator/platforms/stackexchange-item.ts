import { epochSeconds, valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import { resolvedAt, type SimulatedRecord } from '../records.ts'
import { escapeHtml, htmlFromText } from '../wire-text.ts'
import stackexchange from './stackexchange.json' with { type: 'json' }

const forms = readForms(stackexchange.forms)
const ownDomains = new Set(['stackoverflow', 'meta.stackoverflow', 'superuser', 'serverfault', 'askubuntu'])

function siteUrl(site: string): string {
  if (site.split('.').length > 2) return `https://${site}`
  return ownDomains.has(site) ? `https://${site}.com` : `https://${site}.stackexchange.com`
}

/** The page of a question, as a person opens it. */
export function questionLink({ id, title }: SimulatedRecord, site: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80)
  return `${siteUrl(site)}/questions/${id}/${slug}`
}

/** Moderators tag a decision; a question that was only closed has none. */
const statusTags: Record<string, string[]> = { completed: ['status-completed'], not_planned: ['status-declined'] }

const closedReasons: Record<string, string> = { duplicate: 'Duplicate', stale: 'Needs details or clarity' }

/** Closing is moderation of the question. One that migrated is closed here. */
function closing(record: SimulatedRecord): object {
  const closedReason = closedReasons[record.resolution ?? '']
  const date = epochSeconds(resolvedAt(record))
  const migratedTo = { on_date: date, question_id: record.id + 1, other_site: {} }
  return {
    closedDate: closedReason && date,
    closedReason,
    migratedTo: record.resolution === 'moved' ? migratedTo : undefined,
  }
}

/** Every question asks for a feature, so that a search by that tag misses none. */
export function questionTags({ tags, resolution }: SimulatedRecord): string[] {
  return [
    tags.includes('bug') ? 'support' : 'feature-request',
    ...(statusTags[resolution ?? ''] ?? []),
    ...tags.map((tag) => tag.replaceAll(' ', '-')).filter((tag) => tag !== 'feature-request'),
  ]
}

function owner({ author, id }: SimulatedRecord, site: string): unknown {
  if (!author) return { user_type: 'does_not_exist', display_name: `user${id % 100_000}` }
  const slug = author.name.toLowerCase().replace(/[^a-z]+/g, '-')
  return forms.owner({
    id: author.id,
    accountId: author.id + 7,
    reputation: author.id % 20_000,
    escapedName: escapeHtml(author.name, 'stackexchange'),
    link: `${siteUrl(site)}/users/${author.id}/${slug}`,
  })
}

/** One element of `items`: titles and names come escaped, the body only by a filter that asks for it. */
export function stackExchangeItem(record: SimulatedRecord, site: string, withBody: boolean): unknown {
  const created = epochSeconds(record.createdAt)
  return forms.question({
    ...valuesOf(record),
    ...closing(record),
    tags: questionTags(record),
    owner: owner(record, site),
    isAnswered: record.commentCount > 3,
    views: record.commentCount * 97 + 11,
    created,
    active: created + 3_600,
    link: questionLink(record, site),
    escapedTitle: escapeHtml(record.title, 'stackexchange'),
    html: withBody ? htmlFromText(record.body ?? '', 'stackexchange') : undefined,
  })
}
