import type { RequestStatus } from '../../database/column-types.ts'
import { meaningsOfLabels } from './tracker-labels.ts'

/** Status words of Canny, UserVoice, Productboard and Fider, in addition to those of labels. */
const words: ReadonlyMap<string, RequestStatus> = new Map([
  ['open', 'open'],
  ['opened', 'open'],
  ['new', 'open'],
  ['new idea', 'open'],
  ['candidate', 'open'],
  ['under review', 'open'],
  ['under consideration', 'open'],
  ['closed', 'closed'],
  ['reopened', 'open'],
])

/** The status of a word; null if unknown. */
export function statusOfWord(text: string): RequestStatus | null {
  // Status words are short.
  if (text.length > 100) return null
  const known = words.get(text.toLowerCase().replace(/[_-]+/g, ' ').trim())
  if (known !== undefined) return known
  const [meaning] = [...meaningsOfLabels([text])].filter((one) => one !== 'stale')
  return meaning ?? null
}
