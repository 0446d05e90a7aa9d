import { expect, test } from 'vitest'
import { type Kind, kinds, readWritten } from '../../scripts/detection/written.ts'
import { detect } from '../../src/requests/detection/detect.ts'

const written = readWritten()

test('of the texts written for this project each is there once, and a third of each kind is kept out of training', () => {
  expect(new Set(written.map(({ title, text }) => `${title}\n${text}`)).size).toBe(written.length)
  for (const [kind, texts] of Map.groupBy(written, (text) => text.kind)) {
    const heldOut = texts.filter(({ isHeldOut }) => isHeldOut).length
    expect({ kind, heldOut }).toEqual({ kind, heldOut: Math.floor(texts.length / 3) })
  }
})

/** Which share of a kind must be right: other texts are not likely, wishes are likely or maybe. docs/benchmarks.md has the kinds that are still weak. */
const shares: Partial<Record<Kind, number>> = {
  question: 0.85,
  hardlyAny: 0.7,
  seeks: 0.6,
  offer: 0.9,
  talk: 0.7,
  unsupported: 0.55,
  weak: 0.8,
  task: 0.85,
  reply: 0.8,
  ideas: 0.6,
}

test.each(Object.entries(shares) as [Kind, number][])(
  'of texts of the kind %s that nobody trained on at least %d are right',
  (kind, share) => {
    const { label, platform } = kinds[kind]
    const texts = written.filter((text) => text.kind === kind && text.isHeldOut)
    const right = texts.filter(({ title, text }) => {
      const { wish } = detect({ title, description: text, platform, tags: [] })
      return label ? wish !== 'unlikely' : wish !== 'likely'
    })
    expect(right.length / texts.length).toBeGreaterThanOrEqual(share)
  },
)
