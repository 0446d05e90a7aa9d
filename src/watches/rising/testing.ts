import { seededRandom } from '../../../scripts/detection/random.ts'
import {
  countedWeeks,
  findRisingOfRun,
  findTopicRise,
  quietDays,
  type TestedWish,
  testsOfRun,
  weightOfWeek,
  weightOfWeeks,
} from './model.ts'

// Two years of a watch, replayed: wishes of very different rates, whose voices come more and less often by day, week and season.

/** How a watch goes on. Rates are voices a week. */
export interface World {
  /** The middle of the numbers of wishes; watches have from a fifth to five times as many. */
  wishes: number
  /** How much rates vary beyond chance, by week and by day: squares of coefficients of variation. */
  spread: { week: number; day: number }
  /** The most that a wish grows in a year, as a factor. */
  growth: number
  /** What the topic as a whole is multiplied by in a week after every second or third month; 1: never. */
  pulse: number
  /** Less than 1: a run after some days. */
  runsPerDay: number
  /** Whether bursts are injected. */
  hasBursts: boolean
}

export const usualWorld: World = {
  wishes: 120,
  spread: { week: 0.1, day: 0.5 },
  growth: 2,
  pulse: 1,
  runsPerDay: 1,
  hasBursts: true,
}

/** Two years. */
export const days = 730
const weekDays = 7
/** Of the days of a week from Monday on, and of the days from Christmas to New Year. */
const [ofWeekday, ofHolidays] = [[1.2, 1.2, 1.2, 1.15, 1, 0.6, 0.65], 0.4]
const [leastRate, mostRate] = [0.02, 20]
/** Bursts are injected into wishes of each of these ranges of rates alike. */
export const rateRanges = [0.3, 1, 2, 4, 8, 20] as const
const rangeOf = (rate: number): number => rateRanges.findIndex((most) => rate <= most)

export function createDraws(seed: number) {
  const random = seededRandom(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  /** A simple method for generating gamma variables (G. Marsaglia and W. Tsang, 2000). */
  const gamma = (shape: number): number => {
    if (shape < 1) return gamma(shape + 1) * (1 - random()) ** (1 / shape)
    const d = shape - 1 / 3
    for (;;) {
      const x = normal()
      const v = (1 + x / Math.sqrt(9 * d)) ** 3
      if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
    }
  }
  const poisson = (mean: number): number => {
    const end = Math.exp(-mean)
    let count = 0
    for (let product = random(); product > end; product *= random()) count += 1
    return count
  }
  /** Of mean 1. @param spread the square of its coefficient of variation. */
  const varied = (spread: number) => (spread === 0 ? 1 : gamma(1 / spread) * spread)
  return { random, normal, poisson, varied, below: (size: number) => Math.floor(size * random()) }
}
export type Draws = ReturnType<typeof createDraws>

interface Burst {
  wish: number
  day: number
  isFound: boolean
}

export interface ReplayedWish {
  /** Voices a week, in the middle of the two years. */
  rate: number
  /** In a year, as a factor. */
  growth: number
  /** Voices in each step of time. */
  counts: Int32Array
}

const localRate = ({ rate, growth }: ReplayedWish, day: number) => rate * growth ** (day / 365 - 1)

function makeWish(draws: Draws, world: World, factorOf: (day: number) => number): ReplayedWish {
  const rate = Math.min(mostRate, leastRate * (1 - draws.random()) ** (-1 / 0.9))
  const perDay = Math.max(1, world.runsPerDay)
  const wish = { rate, growth: world.growth ** draws.random(), counts: new Int32Array(days * perDay) }
  let ofWeek = 1
  for (let day = 0; day < days; day += 1) {
    if (day % weekDays === 0) ofWeek = draws.varied(world.spread.week)
    const ofDay = draws.varied(world.spread.day) * ofWeekday[day % weekDays]! * factorOf(day)
    const mean = ((localRate(wish, day) / weekDays) * ofWeek * ofDay) / perDay
    for (let step = 0; step < perDay; step += 1) wish.counts[day * perDay + step] = draws.poisson(mean)
  }
  return wish
}

/** What the whole topic is multiplied by on each day, and the days on which pulses begin. */
function makeSeasons(draws: Draws, { pulse }: World) {
  const pulses: number[] = []
  const factors = Array.from({ length: days }, (_, day) => (day % 365 >= 357 || day % 365 < 2 ? ofHolidays : 1))
  for (let day = 40; pulse !== 1 && day < days - 30; day += 60 + draws.below(60)) {
    factors.fill(pulse, day, day + weekDays)
    pulses.push(day)
  }
  return { factorOf: (day: number) => factors[day]!, pulses }
}

/** Multiplies the rate of a wish by three for seven days, in which at least five people ask. */
function injectBurst(draws: Draws, wish: ReplayedWish, day: number, perDay: number): void {
  const steps = weekDays * perDay
  const usual = wish.counts.subarray(day * perDay, day * perDay + steps).reduce((sum, count) => sum + count, 0)
  const extra = Math.max(draws.poisson(2 * localRate(wish, day)), 5 - usual)
  for (let voice = 0; voice < extra; voice += 1) wish.counts[day * perDay + draws.below(steps)]! += 1
}

function injectBursts(draws: Draws, wishes: readonly ReplayedWish[], perDay: number): Burst[] {
  const bursts: Burst[] = []
  for (let day = 60; day < days - 30; day += 60) {
    const range = draws.below(rateRanges.length)
    const alike = wishes.flatMap(({ rate }, index) => (rangeOf(rate) === range ? [index] : []))
    if (alike.length === 0) continue
    const [wish, begins] = [alike[draws.below(alike.length)]!, day + draws.below(20)]
    injectBurst(draws, wishes[wish]!, begins, perDay)
    bursts.push({ wish, day: begins, isFound: false })
  }
  return bursts
}

export interface Replayed {
  /** Months in which alarms could be given. */
  months: number
  falseAlarms: number
  /** By range of rates: wishes, injected bursts, and how many of them were found within seven days. */
  ranges: { wishes: number; bursts: number; found: number }[]
  /** Of the whole topic, and how many of them were found within seven days. */
  pulses: { all: number; found: number }
}

/** A wish at the end of seven days. */
interface CountedWish extends TestedWish {
  index: number
  wishId: string
}

/** The weeks of the past that count at most. */
const mostWeeks = countedWeeks(Infinity)

/**
 * Counts all wishes at any end as `rising.ts` does, by sums that are made once: of each seven days, and of all weeks before them by their weights.
 * @returns nothing while too little of the past is known.
 */
function createCounting(wishes: readonly ReplayedWish[], perDay: number) {
  const window = weekDays * perDay
  const sums = wishes.map(({ counts }, index) => {
    const recent = new Int32Array(counts.length + 1)
    const voices = new Float64Array(counts.length + 1)
    for (let step = 1; step <= counts.length; step += 1) {
      recent[step] = recent[step - 1]! + counts[step - 1]! - (step > window ? counts[step - 1 - window]! : 0)
      if (step >= 2 * window) voices[step] = recent[step - window]! + weightOfWeek * voices[step - window]!
    }
    return { index, recent, voices, wishId: String(index), firstStep: counts.findIndex((count) => count > 0) + 1 }
  })
  /** @param run the step at which the run begins: only what was asked for before is a wish. */
  return (end: number, run: number): CountedWish[] => {
    const weeks = countedWeeks(end / perDay)
    if (weeks === 0) return []
    const weight = weightOfWeeks(weeks)
    const forgotten = end - mostWeeks * window
    return sums.flatMap(({ index, wishId, recent, voices, firstStep }) => {
      if (firstStep === 0 || firstStep > run) return []
      const older = forgotten < 0 ? 0 : weightOfWeek ** mostWeeks * voices[forgotten]!
      return [{ index, wishId, recent: recent[end]!, past: [{ voices: voices[end]! - older, weight }] }]
    })
  }
}

/** All wishes as one. */
const together = (wishes: readonly TestedWish[]): TestedWish => ({
  recent: wishes.reduce((sum, { recent }) => sum + recent, 0),
  past: wishes.slice(0, 1).map(({ past }) => ({
    voices: wishes.reduce((sum, { past: own }) => sum + own[0]!.voices, 0),
    weight: past[0]!.weight,
  })),
})

const firstDay = 28

/** Replays two years of a watch that the world makes. */
export function replay(seed: number, world: World): Replayed {
  const draws = createDraws(seed)
  const { factorOf, pulses } = makeSeasons(draws, world)
  const size = Math.max(5, Math.round(world.wishes * Math.exp(0.7 * draws.normal())))
  const wishes = Array.from({ length: size }, () => makeWish(draws, world, factorOf))
  return replayWishes(wishes, draws, world, pulses)
}

/** What a watch told, and which of it was true. */
function createRecord(bursts: readonly Burst[], pulses: readonly number[], lateDays: number) {
  /** Whether something that began on a day explains seven days that end on another. */
  const explains = (begin: number, end: number) => end > begin && end <= begin + 2 * weekDays
  const isInTime = (begin: number, day: number) => day <= begin + weekDays + lateDays
  const foundPulses = new Set<number>()
  const told = { falseAlarms: 0, foundPulses }
  return {
    told,
    wish(wish: number, { end, day }: { end: number; day: number }): void {
      const burst = bursts.find((one) => one.wish === wish && explains(one.day, end))
      if (burst === undefined) told.falseAlarms += 1
      else if (isInTime(burst.day, day)) burst.isFound = true
    },
    topic({ end, day }: { end: number; day: number }): void {
      const pulse = pulses.find((begin) => explains(begin, end))
      if (pulse === undefined) told.falseAlarms += 1
      else if (isInTime(pulse, day)) foundPulses.add(pulse)
    },
  }
}

/**
 * Replays two years of wishes through the tests of each run, after bursts were injected.
 * @param pulses when the topic as a whole rises; null: it is not known, so the topic is not tested
 */
export function replayWishes(
  wishes: readonly ReplayedWish[],
  draws: Draws,
  world: World,
  pulses: readonly number[] | null,
): Replayed {
  const perDay = Math.max(1, world.runsPerDay)
  const stride = Math.round(perDay / world.runsPerDay)
  const bursts = world.hasBursts ? injectBursts(draws, wishes, perDay) : []
  const countAt = createCounting(wishes, perDay)
  const record = createRecord(bursts, pulses ?? [], world.runsPerDay < 1 ? weekDays : 0)
  const quietUntil = new Float64Array(wishes.length)
  const alarmDays: number[] = []
  let topicQuietUntil = 0
  for (let run = firstDay * perDay; run <= days * perDay; run += stride) {
    const day = run / perDay
    const ends = Array.from({ length: testsOfRun(stride / perDay) }, (_, before) => run - before * perDay)
    const grown = wishes.map(({ counts }) => counts.subarray(run - stride, run).some((count) => count > 0))
    if (!grown.includes(true)) continue
    const alarms = alarmDays.filter((alarm) => alarm > day - quietDays).length
    const rising = findRisingOfRun(ends, {
      wishesAt: (end) => countAt(end, run),
      isTested: ({ index }) => grown[index]! && quietUntil[index]! <= day,
      alarms,
    })
    for (const { wish, end } of rising) {
      quietUntil[wish.index] = day + quietDays
      alarmDays.push(day)
      record.wish(wish.index, { end: end / perDay, day })
    }
    if (pulses === null || topicQuietUntil > day) continue
    const isTold = ({ index }: CountedWish) => quietUntil[index]! > day
    const end = ends.find((one) => findTopicRise(together(countAt(one, run).filter((wish) => !isTold(wish)))) !== null)
    if (end === undefined) continue
    topicQuietUntil = day + quietDays
    alarmDays.push(day)
    record.topic({ end: end / perDay, day })
  }
  const ranges = rateRanges.map((_, range) => {
    const ofRange = bursts.filter(({ wish }) => rangeOf(wishes[wish]!.rate) === range)
    const found = ofRange.filter(({ isFound }) => isFound).length
    return { wishes: wishes.filter(({ rate }) => rangeOf(rate) === range).length, bursts: ofRange.length, found }
  })
  const { falseAlarms, foundPulses } = record.told
  const pulsesOf = { all: pulses?.length ?? 0, found: foundPulses.size }
  return { months: (days - firstDay) / (365 / 12), falseAlarms, ranges, pulses: pulsesOf }
}
