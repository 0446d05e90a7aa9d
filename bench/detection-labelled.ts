import type { Judged, Point } from '../scripts/detection/curve.ts'
import { curveOf, pointAt } from '../scripts/detection/curve.ts'
import type { LabelledText } from '../scripts/detection/labelled.ts'
import { detect, thresholdsOf, type WishClass } from '../src/requests/detection/detect.ts'

/** Phrases that wishes are searched for with, as an expression: the detection before there was a model. */
export const phrases = /feature requests?|\bi wish\b|would be nice if|please add/i
/** More of the same kind. */
export const morePhrases =
  /feature requests?|\bi wish\b|would be (?:nice|great|cool|useful|helpful)|please (?:add|support|allow)|add (?:support|an? option)|\bsuggestion\b|\benhancement\b|should (?:support|allow)|ability to|i(?:'d| would) (?:like|love) to see|an option to|feature:|proposal/i

const rounded = (figure: number, digits = 3) => Number(figure.toFixed(digits))
const cells = ({ precision, recall, f1 }: Pick<Point, 'precision' | 'recall' | 'f1'>) =>
  [precision, recall, f1].map((figure) => figure.toFixed(3)).join('   ')

function timePerText(texts: readonly LabelledText[]): number {
  if (texts.length === 0) return 0
  // Enough rounds that the compiler is done and the clock is fine enough.
  const rounds = Math.max(2, Math.ceil(4_000 / texts.length))
  for (const text of texts) detect(text)
  const start = performance.now()
  for (let round = 0; round < rounds; round += 1) for (const text of texts) detect(text)
  return (performance.now() - start) / (rounds * texts.length)
}

const isPhrase = (pattern: RegExp, { title, description }: LabelledText) =>
  pattern.test(`${title}\n${description}`) ? 1 : 0

function printCurve(judged: readonly Judged[]): void {
  console.log('threshold   precision recall  F1')
  for (const threshold of [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9])
    console.log(`${threshold.toFixed(2).padEnd(12)}${cells(pointAt(judged, threshold))}`)
  const best = curveOf(judged).reduce((one, other) => (other.f1 > one.f1 ? other : one))
  console.log(`best F1     ${cells(best)}   at ${best.threshold.toFixed(3)}`)
}

/** The figures of labelled texts; the last line is a JSON object. */
export function measureLabelled(texts: readonly LabelledText[]): void {
  const classes = texts.map((text) => ({ ...detect(text), label: text.label }))
  console.log(`${texts.length} texts, ${texts.filter(({ label }) => label).length} wishes`)
  printCurve(classes.map(({ confidence, label }) => ({ value: confidence, label, weight: 1 })))
  const of = (values: readonly WishClass[]) =>
    pointAt(
      classes.map(({ wish, label }) => ({ value: values.includes(wish) ? 1 : 0, label, weight: 1 })),
      1,
    )
  const [likely, shown, maybe] = [of(['likely']), of(['likely', 'maybe']), of(['maybe'])]
  console.log(`likely      ${cells(likely)}`)
  console.log(`maybe alone ${cells(maybe)}`)
  console.log(`both        ${cells(shown)}`)
  for (const [name, pattern] of [
    ['4 phrases', phrases],
    ['13 phrases', morePhrases],
  ] as const) {
    const found = texts.map((text) => ({ value: isPhrase(pattern, text), label: text.label, weight: 1 }))
    console.log(`${name.padEnd(12)}${cells(pointAt(found, 1))}`)
  }
  const thresholds = [...new Set(texts.map(({ platform }) => thresholdsOf(platform).likely))]
  console.log(
    JSON.stringify({
      precision: rounded(likely.precision),
      recall: rounded(likely.recall),
      f1: rounded(likely.f1),
      recallWithMaybe: rounded(shown.recall),
      // Trackers and social platforms have one each; of mixed texts that of the first.
      threshold: thresholds[0] ?? 0,
      perTextMs: rounded(timePerText(texts), 4),
    }),
  )
}
