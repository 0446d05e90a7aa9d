import { readFileSync } from 'node:fs'
import { groupOf } from '../../src/requests/detection/weights-file.ts'
import type { Example } from './corpora.ts'

// Texts that were written for this project, of the kinds that the corpora lack or that are often mistaken. written.jsonl has a line for each:
// {"kind", "title", "text"}.

/** What the texts of each kind are, and where they would stand. A `reply` is a comment, which has the title of its story. */
export const kinds = {
  question: { label: false, platform: 'github' },
  change: { label: false, platform: 'github' },
  wishfulBug: { label: false, platform: 'github' },
  hardlyAny: { label: false, platform: 'github' },
  unsupported: { label: true, platform: 'github' },
  weak: { label: true, platform: 'github' },
  task: { label: true, platform: 'github' },
  seeks: { label: false, platform: 'reddit' },
  offer: { label: false, platform: 'reddit' },
  talk: { label: false, platform: 'reddit' },
  reply: { label: true, platform: 'hackernews' },
  indirect: { label: true, platform: 'reddit' },
  ideas: { label: true, platform: 'reddit' },
  essay: { label: true, platform: 'reddit' },
} as const
export type Kind = keyof typeof kinds

export interface WrittenText {
  kind: Kind
  title: string
  text: string
  /** Every third text of a kind is never trained on. */
  isHeldOut: boolean
}

/** All of them, in the order of the file. */
export function readWritten(): WrittenText[] {
  const lines = readFileSync(new URL('written.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const counts = new Map<Kind, number>()
  return lines.map((line) => {
    const { kind, title, text } = JSON.parse(line) as WrittenText
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return { kind, title, text, isHeldOut: count % 3 === 0 }
  })
}

/** Those that are trained on. */
export const writtenExamples = (): Example[] =>
  readWritten()
    .filter(({ isHeldOut }) => !isHeldOut)
    .map(({ kind, title, text }) => ({
      origin: groupOf(kinds[kind].platform) === 'tracker' ? 'writtenIssue' : 'writtenPost',
      group: 'written',
      stratum: undefined,
      title,
      text,
      label: kinds[kind].label,
    }))
