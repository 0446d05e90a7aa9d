import type { Point, SearchFigures, Words } from './figures.ts'

/** ms(N) = constant + factor (N / 1M)^exponent: the CPU of a search among N requests. */
export interface Curve {
  constantMs: number
  factorMs: number
  exponent: number
}

const million = 1_000_000

export const msAt = ({ constantMs, factorMs, exponent }: Curve, requests: number): number =>
  constantMs + factorMs * (requests / million) ** exponent

/** The curve with a given constant and exponent through one point. It is flat where the point is below the constant. */
function throughOne([requests, ms]: Point, constantMs: number, exponent: number): Curve {
  const constant = Math.min(constantMs, ms)
  return { constantMs: constant, factorMs: (ms - constant) / (requests / million) ** exponent, exponent }
}

/** The curve through three points in the order of size, or null where their times do not grow faster than by a constant. */
function throughThree([first, middle, last]: readonly [Point, Point, Point]): Curve | null {
  const growth = (last[1] - middle[1]) / (middle[1] - first[1])
  if (!(growth > 0) || middle[1] <= first[1]) return null
  const power = ([requests]: Point, exponent: number) => (requests / million) ** exponent
  const growthOf = (exponent: number) =>
    (power(last, exponent) - power(middle, exponent)) / (power(middle, exponent) - power(first, exponent))
  // The growth of the curve rises with its exponent.
  let [low, high] = [0.01, 3]
  if (growth < growthOf(low) || growth > growthOf(high)) return null
  for (let step = 0; step < 100; step++) {
    const exponent = (low + high) / 2
    if (growthOf(exponent) < growth) low = exponent
    else high = exponent
  }
  const factorMs = (last[1] - first[1]) / (power(last, high) - power(first, high))
  return { constantMs: first[1] - factorMs * power(first, high), factorMs, exponent: high }
}

/** The curve of searches: through the first, the middle and the last of three and more points, else through the last one. */
export function curveOf({ points, constantMs, exponent }: SearchFigures, words: Words): Curve {
  const sorted = [...points[words]].sort(([one], [other]) => one - other)
  const last = sorted.at(-1)
  if (last === undefined) throw new Error('a search needs a point')
  const middle = sorted[Math.floor(sorted.length / 2)]
  const exact = sorted.length >= 3 ? throughThree([sorted[0]!, middle!, last]) : null
  return exact ?? throughOne(last, constantMs, exponent)
}
