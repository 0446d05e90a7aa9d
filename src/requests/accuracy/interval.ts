/** A label and how many texts it represents. */
export interface WeightedLabel {
  isRequest: boolean
  /** Above 0; only ratios matter. */
  weight: number
}

/** A share with its 95 % interval, each from 0 to 1. */
export interface Share {
  share: number
  low: number
  high: number
}

/** Probability outside the interval, per side. */
const tail = 0.025

/** Natural log of the gamma function for x > 0, to 1e-10 (Lanczos, g = 5; Numerical Recipes, section 6.1). */
function logGamma(x: number): number {
  const coefficients = [
    76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
    -5.395239384953e-6,
  ]
  const sum = coefficients.reduce(
    (before, coefficient, index) => before + coefficient / (x + 1 + index),
    1.000000000190015,
  )
  return (x + 0.5) * Math.log(x + 5.5) - (x + 5.5) + Math.log((Math.sqrt(2 * Math.PI) * sum) / x)
}

/** The continued fraction of the incomplete beta function, by Lentz' method. */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const atLeastTiny = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / atLeastTiny(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  // Converges in about the square root of the larger parameter.
  for (let m = 1; m <= 1_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / atLeastTiny(1 + even * d)
    c = atLeastTiny(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / atLeastTiny(1 + odd * d)
    c = atLeastTiny(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-12) break
  }
  return fraction
}

/** Cumulative distribution of the beta distribution at x in (0, 1) (Numerical Recipes, section 6.4). */
function betaBelow(x: number, a: number, b: number): number {
  const factor = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return x < (a + 1) / (a + b + 2) ? (factor * betaFraction(x, a, b)) / a : 1 - (factor * betaFraction(1 - x, b, a)) / b
}

/** The inverse of `betaBelow`, by bisection, to 1e-12. */
function betaQuantile(probability: number, a: number, b: number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2
    if (betaBelow(middle, a, b) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Effective sample size: the smaller of Kish's and the one implied by the labels' variance. */
function effectiveSize(labels: readonly WeightedLabel[], share: number): number {
  let [sum, squares, spread] = [0, 0, 0]
  for (const { isRequest, weight } of labels) {
    sum += weight
    squares += weight ** 2
    spread += (weight * (Number(isRequest) - share)) ** 2
  }
  const kish = sum ** 2 / squares
  return spread === 0 ? kish : Math.min(kish, (share * (1 - share) * sum ** 2) / spread)
}

/**
 * The weighted share of requests (Hájek) with a Clopper-Pearson interval at the effective sample size (Korn and
 * Graubard, Survey Methodology 24, 1998): exact for equal weights, never too narrow. Null without labels.
 */
export function shareOf(labels: readonly WeightedLabel[]): Share | null {
  if (labels.length === 0) return null
  const total = labels.reduce((sum, { weight }) => sum + weight, 0)
  const requests = labels.reduce((sum, { isRequest, weight }) => sum + (isRequest ? weight : 0), 0)
  const isNone = labels.every(({ isRequest }) => !isRequest)
  const isAll = labels.every(({ isRequest }) => isRequest)
  const share = isNone ? 0 : isAll ? 1 : requests / total
  const size = effectiveSize(labels, share)
  const found = share * size
  return {
    share,
    low: isNone ? 0 : betaQuantile(tail, found, size - found + 1),
    high: isAll ? 1 : betaQuantile(1 - tail, found + 1, size - found),
  }
}
