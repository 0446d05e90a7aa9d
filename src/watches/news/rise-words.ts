import { counted } from '../../accounts/events/message.ts'
import type { ShownRise } from './shown-items.ts'

/** `7 people in seven days, 1.2 expected`. */
export const riseInWords = ({ voices, expected }: ShownRise): string =>
  `${counted(voices, 'person', 'people')} in seven days, ${expected.toLocaleString('en-US', { maximumFractionDigits: 1 })} expected`

/** A sentence about a topic's rise. */
export const topicRiseInWords = (topic: string, rise: ShownRise): string =>
  `More people than usual ask about ${topic}: ${riseInWords(rise)}.`
