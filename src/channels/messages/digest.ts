import type { Message, MessageSection } from '../../events/message.ts'
import { counted } from './words.ts'

/** How many events a digest shows; the page has all. */
const shownEvents = 20

const sectionsOf = ({ title, paragraphs, sections, link }: Message): MessageSection[] =>
  sections.length === 0
    ? [
        {
          heading: title,
          items: [{ title: paragraphs.join(' ') || title, url: link?.url ?? null, detail: '' }],
          more: 0,
        },
      ]
    : sections.map((section) => ({ ...section, heading: `${title} – ${section.heading}` }))

/** Several messages as one; null for none. Its id is that of the digest, the same in each attempt. */
export function toDigest(messages: readonly Message[], { id, now }: { id: string; now: Date }): Message | null {
  const [first] = messages
  if (first === undefined) return null
  const last = messages.at(-1)!
  const occurredAt = last.occurredAt < now ? last.occurredAt : now
  const data = {
    events: messages.map((one) => ({
      id: one.id,
      type: one.type,
      timestamp: one.occurredAt.toISOString(),
      data: one.data,
    })),
  }
  if (messages.length === 1) return { ...first, id, type: 'digest', data }
  const shown = messages.slice(0, shownEvents)
  return {
    id,
    type: 'digest',
    occurredAt,
    title: `${counted(messages.length, 'message')} from Wishwell`,
    paragraphs: shown.length < messages.length ? [`The first ${shown.length} are shown.`] : [],
    sections: shown.flatMap(sectionsOf),
    link: first.link && { label: 'Open Wishwell', url: `${new URL(first.link.url).origin}/` },
    data,
  }
}
