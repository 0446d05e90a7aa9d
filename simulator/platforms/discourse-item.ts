import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import type { SimulatedRecord } from '../records.ts'
import { escapeHtml } from '../wire-text.ts'
import discourse from './discourse.json' with { type: 'json' }

const forms = readForms(discourse.forms)

/** The only category of these forums, so that a search in it misses none. */
export const category = { id: 13, name: 'Feature Requests', slug: 'feature-requests' }

/** How these forums mark what became of a wish. */
const outcomeTags: Record<string, string> = { completed: 'completed', not_planned: 'declined', duplicate: 'duplicate' }

const blurbCharacters = 200

export function topicSlug({ title }: SimulatedRecord): string {
  const slug = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return slug.replace(/^-+|-+$/g, '') || 'topic'
}

export function topicTags({ tags, resolution }: SimulatedRecord): string[] {
  const outcome = resolution && outcomeTags[resolution]
  const own = [...tags, ...(outcome ? [outcome] : [])].map((tag) => tag.replaceAll(' ', '-'))
  return tags.includes('bug') ? own : [...new Set(['feature-request', ...own])]
}

const escaped = (text: string): string => escapeHtml(text, 'stackexchange')

/** An excerpt, HTML-escaped, as the search shows it. */
function blurb({ body }: SimulatedRecord): string {
  const characters = [...(body ?? '')]
  const start = characters.slice(0, blurbCharacters).join('').replaceAll('\n', ' ')
  return escaped(characters.length > blurbCharacters ? `${start}...` : start)
}

/** Who has left the forum is anonymous, and many have no name. Where topics have votes, likes say nothing. */
function postValues(record: SimulatedRecord, hasVotes: boolean) {
  const { author, title, votes } = record
  return {
    ...valuesOf(record),
    postId: record.id + 1,
    name: author ? (author.id % 3 === 0 ? '' : author.name) : null,
    username: author?.handle ?? 'anon4711',
    likes: hasVotes ? 0 : Math.max(0, votes),
    escapedTitle: escaped(title),
  }
}

/** One element of `posts`. */
export const discoursePost = (record: SimulatedRecord, hasVotes: boolean): unknown =>
  forms.post({ ...postValues(record, hasVotes), blurb: blurb(record) })

/** One element of `topics`; in new versions tags are objects, and with the voting plugin there are votes. */
export function discourseTopic(record: SimulatedRecord, isNew: boolean): object {
  const tags = topicTags(record)
  const values = {
    ...postValues(record, isNew),
    slug: topicSlug(record),
    postCount: record.commentCount + 1,
    isVisible: record.fate !== 'removed',
    isClosed: record.resolution !== undefined,
    isArchived: record.fate === 'archived',
    tags: isNew ? tags.map((name, index) => ({ id: index + 1, name, slug: name })) : tags,
    hasAnswer: record.resolution === 'completed',
  }
  return { ...(forms.topic(values) as object), ...(isNew ? (forms.votes(values) as object) : {}) }
}

/** `GET /t/<id>.json`: the topic with its first post. */
export function discourseTopicPage(record: SimulatedRecord, isNew: boolean): object {
  const values = postValues(record, isNew)
  const paragraphs = (record.body ?? '').split('\n\n').map((paragraph) => `<p>${escaped(paragraph)}</p>`)
  const actions = values.likes === 0 ? [] : [{ id: 2, count: values.likes }]
  const first = forms.firstPost({ ...values, actions, cooked: paragraphs.join('\n') })
  return { ...discourseTopic(record, isNew), ...(forms.page({ ...values, first }) as object) }
}
