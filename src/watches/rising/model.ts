// A wish rises if more people ask in seven days than its past explains: Poisson with a gamma-distributed rate, so
// negative binomial (Greenwood and Yule, 1920). The promise of false alarms sets the level of all tests.

/** Fewer voices in seven days are never a rise. */
export const leastVoices = 5
/** The most weeks of the past that count, and the fewest for a test. */
const [maxWeeks, leastWeeks] = [52, 3] as const
/** Missed days of tests that a run makes up for. */
const maxDays = 7
/** Days before the same rise may be told again. */
export const quietDays = 30

/** After this many weeks, a week of the past counts half: slow growth raises its own baseline. */
const halfLifeWeeks = 13
/** The least weekly variation of a wish's rate beyond chance, as the squared coefficient of variation. */
const leastSpread = 0.1
/** Voices a week added to the rest of a topic before judging how busy it is. */
const restPrior = 20
/** The shape of a rate's prior, whose mean is that of the watch's wishes. Below 1, since most wishes are rare. */
const priorShape = 0.25

/** False alarms that a watch's tests may cause in 30 days. Less than promised, since no model is exact. */
const budget = 0.8
const budgetDays = 30
/** The share of the budget for testing the whole topic. */
const topicShare = 0.15
/** Tests less than this many days apart are nearly the same, so a day's tests may spend this many days' share. */
const daysApart = 2.5
/** The weakest level of any test, however few there are. */
const weakestLevel = 0.03

/** A past week's weight relative to the week after it. */
export const weightOfWeek = 2 ** (-1 / halfLifeWeeks)

/** Weeks that count before the last seven days. @param days since the past is known @returns 0 for too few. */
export function countedWeeks(days: number): number {
  const weeks = Math.floor(days / 7) - 1
  return weeks < leastWeeks ? 0 : Math.min(weeks, maxWeeks)
}

/** How many seven-day windows a run tests, each a day earlier. @param days since the last tests */
export const testsOfRun = (days: number): number => Math.min(maxDays, Math.max(1, Math.round(days)))

/** The total weight of the known weeks. */
export const weightOfWeeks = (weeks: number): number => (1 - weightOfWeek ** weeks) / (1 - weightOfWeek)

/** A wish's past on a platform; each platform has its own start of collection. */
export interface Past {
  /** Voices weighted by week. */
  voices: number
  /** The total weight of all known weeks. */
  weight: number
}

export interface TestedWish {
  recent: number
  /** Per platform with a known past, in the same order for all wishes of the watch. */
  past: readonly Past[]
}

/** What is expected of seven days, as a negative binomial variable. */
export interface Expectation {
  mean: number
  /** The variance is `mean + mean² / shape`. */
  shape: number
}

/** @param voices per week number, if any; the last week is 0 @param weeks how many are known */
export const pastOf = (voices: ReadonlyMap<number, number>, weeks: number): Past => ({
  voices: [...voices].reduce((sum, [week, count]) => sum + count * weightOfWeek ** week, 0),
  weight: weightOfWeeks(weeks),
})

/** The probability of `least` or more. @param least a non-negative integer */
export function chanceOf(least: number, { mean, shape }: Expectation): number {
  if (least === 0) return 1
  const ratio = mean / (mean + shape)
  let term = Math.exp(-shape * Math.log1p(mean / shape))
  let [chance, at] = [0, 0]
  // Beyond the mode, relevant terms fall by at least `ratio`.
  while (at < least || (term > chance * 1e-9 && at < 1e6)) {
    term *= ((shape + at) / (at + 1)) * ratio
    at += 1
    if (at >= least) chance += term
  }
  return Math.min(1, chance)
}

const rateOf = (past: readonly Past[]): number =>
  past.reduce((sum, { voices, weight }) => sum + (weight === 0 ? 0 : voices / weight), 0)

/**
 * What to expect of seven days for each wish. If all other wishes are busier than usual, more is expected: a rise of
 * the whole topic is no surprise in each wish. Null while nothing is known of the past.
 */
function expectationsOf(wishes: readonly TestedWish[]): Expectation[] | null {
  const rates = wishes.map(({ past }) => rateOf(past))
  const [rate, recent] = [rates.reduce((a, b) => a + b, 0), wishes.reduce((sum, wish) => sum + wish.recent, 0)]
  if (rate === 0) return null
  const priorWeight = (priorShape * wishes.length) / rate
  return wishes.map(({ past, recent: own }, index) => {
    let [mean, variance] = [0, 0]
    for (const { voices, weight } of past) {
      const [shape, exposure] = [priorShape / past.length + voices, priorWeight + weight]
      mean += shape / exposure
      variance += shape / exposure ** 2
    }
    const busier = Math.max(1, (recent - own + restPrior) / (rate - rates[index]! + restPrior))
    return { mean: mean * busier, shape: 1 / (variance / mean ** 2 + leastSpread) }
  })
}

/**
 * The level of each test whose false alarms may come to `allowed` in total. Wishes that rarely have enough voices spend
 * almost nothing (R. Tarone, Biometrics 46, 1990).
 * @param reachable each wish's probability of a test
 */
function levelOf(reachable: readonly number[], allowed: number): number {
  let left = allowed
  for (const [index, chance] of [...reachable].sort((a, b) => a - b).entries()) {
    const others = reachable.length - index
    if (chance * others > left) return Math.min(weakestLevel, left / others)
    left -= chance
  }
  return weakestLevel
}

/** A day's share, halved by each alarm of the last 30 days: a model that is wrong about a watch is soon quiet. */
const allowedAfter = (alarms: number): number => (budget * daysApart) / budgetDays / 2 ** alarms

/** How a wish, or a topic, rises. */
export interface Rise {
  voices: number
  /** Voices expected in seven days, by its past. */
  expected: number
  /** The probability of at least this many if nothing changed. */
  chance: number
}

/** Whether a topic, as all its wishes, rises beyond its past. Only its own alarms quiet it. */
export function findTopicRise({ recent, past }: TestedWish): Rise | null {
  const expected = rateOf(past)
  if (recent < leastVoices || expected === 0) return null
  const variance = past.reduce((sum, { voices, weight }) => sum + voices / weight ** 2, 0)
  const chance = chanceOf(recent, { mean: expected, shape: 1 / (variance / expected ** 2 + leastSpread) })
  return chance <= topicShare * allowedAfter(0) ? { voices: recent, expected, chance } : null
}

/**
 * The wishes that rise beyond their own past, most surprising first.
 * @param wishes all of a watch: untested ones show what is usual
 * @param alarms of the watch in the last 30 days
 */
export function findRising<Wish extends TestedWish>(
  wishes: readonly Wish[],
  { isTested, alarms }: { isTested: (wish: Wish) => boolean; alarms: number },
): (Rise & { wish: Wish })[] {
  const candidates = wishes.flatMap((wish, index) => (wish.recent >= leastVoices && isTested(wish) ? [index] : []))
  const expectations = candidates.length === 0 ? null : expectationsOf(wishes)
  if (expectations === null) return []
  const level = levelOf(
    expectations.map((expectation) => chanceOf(leastVoices, expectation)),
    (1 - topicShare) * allowedAfter(alarms),
  )
  return candidates
    .map((index) => {
      const [wish, expectation] = [wishes[index]!, expectations[index]!]
      const chance = chanceOf(wish.recent, expectation)
      return { wish, voices: wish.recent, expected: expectation.mean, chance }
    })
    .filter(({ chance }) => chance <= level)
    .sort((a, b) => a.chance - b.chance)
}

interface RunTests<Wish extends TestedWish, End> {
  /** All wishes of the watch at an end. */
  wishesAt: (end: End) => readonly Wish[]
  isTested: (wish: Wish) => boolean
  alarms: number
}

/** The wishes rising at any window end of a run, each at its strongest; all ends share earlier alarms. */
export function findRisingOfRun<Wish extends TestedWish & { wishId: string }, End>(
  ends: readonly End[],
  { wishesAt, ...tests }: RunTests<Wish, End>,
): (Rise & { wish: Wish; end: End })[] {
  const found = new Map<string, Rise & { wish: Wish; end: End }>()
  for (const end of ends) {
    for (const rise of findRising(wishesAt(end), tests)) {
      const { wishId } = rise.wish
      if (rise.chance < (found.get(wishId)?.chance ?? 1)) found.set(wishId, { ...rise, end })
    }
  }
  return [...found.values()].sort((a, b) => a.chance - b.chance)
}
