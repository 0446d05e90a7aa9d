import topics from './near-misses.json' with { type: 'json' }
import { canonicalText } from './query.ts'

/**
 * How a search result relates to its topic. The first five are written by hand for each topic, and of those only `otherOrder` and
 * `otherForm` are about it; `closed`, `private` and `gone` have the topic's words, `noise` has none.
 */
export type NearMissKind = Exclude<keyof (typeof topics)[number], 'topic'> | 'noise' | 'closed' | 'private' | 'gone'

/** The topics that have near-misses. */
export const nearMissTopics: readonly string[] = topics.map(({ topic }) => topic)

/**
 * What the search of each platform returns besides what has the topic's words as they are. GitHub matches comments, Hacker News
 * near-spellings and authors, Discourse beginnings of words, Lemmy and GitLab substrings, and YouTube returns all comments.
 */
const returnedKinds: Record<string, readonly NearMissKind[]> = {
  github: ['otherOrder', 'otherForm', 'fewWords', 'noise', 'closed', 'private'],
  hackernews: ['otherOrder', 'otherForm', 'nearSpelling', 'noise', 'gone'],
  stackexchange: ['otherOrder', 'otherForm', 'fewWords', 'noise'],
  discourse: ['otherOrder', 'otherForm', 'substring', 'closed', 'gone'],
  lemmy: ['otherForm', 'substring', 'gone'],
  gitlab: ['otherOrder', 'substring', 'noise', 'closed', 'private'],
  reddit: ['otherOrder', 'otherForm', 'fewWords', 'gone'],
  x: ['otherOrder', 'otherForm', 'noise', 'private', 'gone'],
  bluesky: ['otherOrder', 'otherForm', 'fewWords', 'gone'],
  youtube: ['otherOrder', 'otherForm', 'substring', 'nearSpelling', 'fewWords', 'noise', 'private'],
}

/** What a platform returns for a topic besides its records; none for a topic that is not one of `nearMissTopics`. */
export function nearMissesOf(platform: string, topic: string): { kind: NearMissKind; text: string }[] {
  const index = topics.findIndex((one) => canonicalText(one.topic) === canonicalText(topic))
  const written = topics[index]
  if (written === undefined) return []
  const textOf = (kind: NearMissKind) => {
    if (kind === 'noise') return `Great work, thank you all (${index})`
    return kind in written ? written[kind as keyof typeof written] : `A ${kind} ${written.topic}`
  }
  return (returnedKinds[platform] ?? []).map((kind) => ({ kind, text: textOf(kind) }))
}
