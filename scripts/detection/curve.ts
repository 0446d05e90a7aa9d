/** A text with the figure of a model and its label. */
export interface Judged {
  value: number
  label: boolean
  /** How often the text counts. */
  weight: number
}

export interface Point {
  threshold: number
  precision: number
  recall: number
  f1: number
}

function pointOf(threshold: number, right: number, wrong: number, wishes: number): Point {
  const precision = right + wrong === 0 ? 0 : right / (right + wrong)
  const recall = wishes === 0 ? 0 : right / wishes
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)
  return { threshold, precision, recall, f1 }
}

/** Precision and recall when texts from a threshold on count as wishes. */
export function pointAt(judged: readonly Judged[], threshold: number): Point {
  let [right, wrong, wishes] = [0, 0, 0]
  for (const { value, label, weight } of judged) {
    if (label) wishes += weight
    if (value < threshold) continue
    if (label) right += weight
    else wrong += weight
  }
  return pointOf(threshold, right, wrong, wishes)
}

/** The point at every value, from the highest threshold to the lowest. */
export function curveOf(judged: readonly Judged[]): Point[] {
  const sorted = [...judged].sort((one, other) => other.value - one.value)
  const wishes = sorted.reduce((sum, { label, weight }) => sum + (label ? weight : 0), 0)
  const points: Point[] = []
  let [right, wrong] = [0, 0]
  for (const [index, { value, label, weight }] of sorted.entries()) {
    if (label) right += weight
    else wrong += weight
    if (sorted[index + 1]?.value !== value) points.push(pointOf(value, right, wrong, wishes))
  }
  return points
}

const highest = (points: readonly Point[], figure: (point: Point) => number): Point =>
  points.reduce((best, point) => (figure(point) > figure(best) ? point : best), {
    threshold: 1,
    precision: 0,
    recall: 0,
    f1: 0,
  })

export const bestF1 = (points: readonly Point[]): Point => highest(points, ({ f1 }) => f1)

/** The highest precision of all points with at least this recall. */
export const precisionAtRecall = (points: readonly Point[], recall: number): Point =>
  highest(points, (point) => (point.recall >= recall ? point.precision : 0))
