import { seededRandom } from '../../../scripts/detection/random.ts'
import type { WishClass } from '../detection/detect.ts'
import { type Accuracy, type DrawnLabel, estimateAccuracy } from './estimate.ts'
import { type Seats, shareSeats } from './seats.ts'

interface Text {
  platform: string
  confidence: number
  isRequest: boolean
}

/** What likely and maybe are cut by. */
type Cuts = readonly [likely: number, maybe: number]

const standingBy = ([likely, maybe]: Cuts, confidence: number) => {
  if (confidence >= likely) return 2
  return confidence >= maybe ? 1 : 0
}
const classes = ['unlikely', 'maybe', 'likely'] as const satisfies WishClass[]

const platforms = ['github', 'reddit', 'hackernews', 'discourse', 'lemmy']

/** Texts of five platforms, most of them hidden: half to almost all of the surest are requests, one to ten of 100 of the least sure. */
function makeTexts(random: () => number): Text[] {
  const size = Math.round(300 * (100_000 / 300) ** random())
  const [surest, leastSure] = [0.5 + 0.45 * random(), 0.01 + 0.09 * random()]
  return Array.from({ length: size }, () => {
    const confidence = random() ** 3
    const rise = 1 / (1 + Math.exp(-12 * (confidence - 0.4)))
    return {
      platform: platforms[Math.floor(platforms.length * random() ** 2)]!,
      confidence,
      isRequest: random() < leastSure + (surest - leastSure) * rise,
    }
  })
}

/** Labels the draw of a week. @param unanswered the share of texts that are not answered */
export function labelWeek<Labelled extends Text>(
  texts: readonly Labelled[],
  cuts: Cuts,
  random: () => number,
  labelled: Set<Labelled>,
  unanswered: number,
): DrawnLabel[] {
  const open = Map.groupBy(
    texts.filter((text) => !labelled.has(text)),
    ({ confidence }) => standingBy(cuts, confidence),
  )
  const population: Seats = { 0: 0, 1: 0, 2: 0 }
  for (const standing of [0, 1, 2] as const) population[standing] = open.get(standing)?.length ?? 0
  const seats = shareSeats(population, { 0: 0, 1: 0, 2: 0 })
  return ([0, 1, 2] as const).flatMap((standing) => {
    const picked = new Set<Labelled>()
    while (picked.size < seats[standing]) picked.add(open.get(standing)![Math.floor(population[standing] * random())]!)
    return [...picked].flatMap((text) => {
      if (random() < unanswered) return []
      labelled.add(text)
      const { platform, confidence, isRequest } = text
      const drawnAs = { standing, population: population[standing], thresholds: cuts.join('/') }
      return [{ platform, confidence, isRequest, ...drawnAs }]
    })
  })
}

/** An account that labels for three to ten weeks; of every second one the thresholds moved once. */
export function simulateAccount(seed: number): { truth: Record<'shown' | 'hidden', number>; estimates: Accuracy } {
  const random = seededRandom(seed)
  const texts = makeTexts(random)
  const weeks = 3 + Math.floor(8 * random())
  const before: Cuts = [0.45 + 0.2 * random(), 0.15 + 0.15 * random()]
  const now: Cuts = seed % 2 === 0 ? [0.45 + 0.2 * random(), 0.15 + 0.15 * random()] : before
  const movedIn = Math.floor(weeks * random())
  const labelled = new Set<Text>()
  const labels = Array.from({ length: weeks }, (_, week) =>
    labelWeek(texts, week < movedIn ? before : now, random, labelled, 0.1),
  ).flat()
  const shareIn = (standing: number) => {
    const inClass = texts.filter(({ confidence }) => standingBy(now, confidence) === standing)
    return inClass.filter(({ isRequest }) => isRequest).length / inClass.length
  }
  const estimates = estimateAccuracy(labels, null, (confidence) => classes[standingBy(now, confidence)]!)
  return { truth: { shown: shareIn(2), hidden: shareIn(0) }, estimates }
}
