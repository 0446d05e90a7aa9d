import { counted, type Message, type MessageSection } from '../../../accounts/events/message.ts'

/** Events shown in a digest; the page has all. */
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

/** Bytes of data in a digest: receivers refuse large bodies, and a process composes many digests at once. */
const maxDataBytes = 256 * 1024

const dataOf = ({ id, type, occurredAt, data }: Message) => ({ id, type, timestamp: occurredAt.toISOString(), data })

/** Merges messages as they come. Of those neither shown nor within the data limit, it keeps only the id. */
export function createDigest(maxBytes = maxDataBytes) {
  const shown: Message[] = []
  const events: { id: string; type: string; timestamp: string; data: Message['data'] | null }[] = []
  let bytes = 0
  let leftOut = 0
  let last: Date | null = null
  return {
    add(message: Message): void {
      const event = dataOf(message)
      const size = Buffer.byteLength(JSON.stringify(event))
      const fits = bytes + size <= maxBytes
      if (fits) bytes += size
      else leftOut += 1
      events.push(fits ? event : { ...event, data: null })
      if (shown.length < shownEvents) shown.push(message)
      last = message.occurredAt
    },
    first: (): Message | null => shown[0] ?? null,
    /** Null without messages. The digest's id is the same in each attempt. */
    toMessage({ id, now }: { id: string; now: Date }): Message | null {
      const [first] = shown
      if (first === undefined || last === null) return null
      const data = { events, leftOut }
      if (events.length === 1) return { ...first, id, type: 'digest', data }
      return {
        id,
        type: 'digest',
        occurredAt: last < now ? last : now,
        title: `${counted(events.length, 'message')} from Wishwell`,
        paragraphs: shown.length < events.length ? [`The first ${shown.length} are shown.`] : [],
        sections: shown.flatMap(sectionsOf),
        link: first.link && { label: 'Open Wishwell', url: `${new URL(first.link.url).origin}/` },
        data,
      }
    },
  }
}
