import type { ComparedText } from './compared-text.ts'
import { conflictsOf } from './conflicts.ts'
import type { Rarity } from './rarity.ts'

/** Features of a pair alone, in the order of the weights: about 0 to 1, and symmetric. */
const pairFeatureNames = [
  'titleCosine',
  'textCosine',
  'titleContainment',
  'coverageLess',
  'coverageMore',
  'bigrams',
  'sharedRarity',
  'unsharedRarity',
  'rarestUnshared',
  'rarestShared',
  'sameTitle',
  'lengthRatio',
  'shortText',
  'titleTimesText',
  'titleSquared',
  'textSquared',
  'coverageTimesText',
  'opposed',
  'differentNumbers',
  'differentParts',
  'differentSubjects',
] as const

/** Features of a candidate relative to the others: the same wish stands out among those on the same subject. */
const contextFeatureNames = ['reciprocalRank', 'titleAboveMean', 'textAboveMean'] as const

export const featureNames = [...pairFeatureNames, ...contextFeatureNames] as const

/** Keeps a feature below 1, unlike a sum of rarities, which grows with the texts. */
const bounded = (value: number, half: number) => value / (value + half)

/** The cosine of two texts, given as stems with squared weights. */
function cosine(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let [shared, oneSum, otherSum] = [0, 0, 0]
  for (const [stem, weight] of one) {
    oneSum += weight * weight
    shared += weight * (other.get(stem) ?? 0)
  }
  for (const weight of other.values()) otherSum += weight * weight
  return shared === 0 ? 0 : shared / Math.sqrt(oneSum * otherSum)
}

const bigramsOf = (stems: readonly string[]) => new Set(stems.slice(1).map((stem, index) => `${stems[index]} ${stem}`))

/** Dice's coefficient of two sets; 0 if both are empty. */
function dice(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0
  for (const item of one) if (other.has(item)) shared += 1
  return one.size + other.size === 0 ? 0 : (2 * shared) / (one.size + other.size)
}

/** What two titles share and what only one has, as sums and maxima of rarity. */
function compareTitles(one: ReadonlySet<string>, other: ReadonlySet<string>, rarity: Rarity) {
  const sums = { shared: 0, rarestShared: 0, unshared: 0, one: 0, other: 0 }
  for (const stem of one) {
    const value = rarity(stem)
    sums.one += value
    if (other.has(stem)) {
      sums.shared += value
      sums.rarestShared = Math.max(sums.rarestShared, value)
    } else sums.unshared += value
  }
  for (const stem of other) {
    sums.other += rarity(stem)
    if (!one.has(stem)) sums.unshared += rarity(stem)
  }
  return sums
}

/** The share of the title, by rarity, that the other text contains; and its rarest stem that it does not. */
function coverage(title: ReadonlySet<string>, text: ReadonlyMap<string, number>, rarity: Rarity) {
  let [sum, covered, rarestMissing] = [0, 0, 0]
  for (const stem of title) {
    const value = rarity(stem)
    sum += value
    if (text.has(stem)) covered += value
    else rarestMissing = Math.max(rarestMissing, value)
  }
  return { share: sum === 0 ? 0 : covered / sum, rarestMissing }
}

const sizeOf = (text: ComparedText) => {
  let size = 0
  for (const count of text.counts.values()) size += count
  return size
}

function pairFeatures(one: ComparedText, other: ComparedText, rarity: Rarity): number[] {
  const [titleA, titleB] = [new Set(one.title), new Set(other.title)]
  const weighTitle = (title: ReadonlySet<string>) => new Map([...title].map((stem) => [stem, rarity(stem)]))
  const weighText = ({ counts }: ComparedText) =>
    new Map([...counts].map(([stem, count]) => [stem, (1 + Math.log(count)) * rarity(stem)]))
  const titleCosine = cosine(weighTitle(titleA), weighTitle(titleB))
  const textCosine = cosine(weighText(one), weighText(other))
  const titles = compareTitles(titleA, titleB, rarity)
  const [coveredA, coveredB] = [coverage(titleA, other.counts, rarity), coverage(titleB, one.counts, rarity)]
  const [less, more] = [Math.min(coveredA.share, coveredB.share), Math.max(coveredA.share, coveredB.share)]
  const [sizeA, sizeB] = [sizeOf(one), sizeOf(other)]
  const conflicts = conflictsOf(one, other)
  const smallerTitle = Math.min(titles.one, titles.other)
  return [
    titleCosine,
    textCosine,
    smallerTitle === 0 ? 0 : titles.shared / smallerTitle,
    less,
    more,
    dice(bigramsOf(one.title), bigramsOf(other.title)),
    bounded(titles.shared, 15),
    bounded(titles.unshared, 15),
    bounded(Math.max(coveredA.rarestMissing, coveredB.rarestMissing), 5),
    bounded(titles.rarestShared, 5),
    one.title.length > 0 && one.title.join(' ') === other.title.join(' ') ? 1 : 0,
    Math.min(sizeA, sizeB) / Math.max(sizeA, sizeB, 1),
    bounded(10, Math.min(sizeA, sizeB)),
    titleCosine * textCosine,
    titleCosine * titleCosine,
    textCosine * textCosine,
    less * textCosine,
    conflicts.opposed,
    conflicts.numbers,
    conflicts.parts,
    conflicts.subjects,
  ]
}

/** With fewer candidates, the missing ones count as not alike at all. */
const usualCandidates = 16

/** The features of each candidate, by `featureNames`. @param candidates best match first */
export function featuresOfCandidates(
  text: ComparedText,
  candidates: readonly ComparedText[],
  rarityOf: (one: ComparedText, other: ComparedText) => Rarity,
): number[][] {
  const pairs = candidates.map((candidate) => pairFeatures(text, candidate, rarityOf(text, candidate)))
  const meanOf = (name: (typeof pairFeatureNames)[number]) => {
    const index = pairFeatureNames.indexOf(name)
    return { index, mean: pairs.reduce((sum, pair) => sum + pair[index]!, 0) / Math.max(usualCandidates, pairs.length) }
  }
  const [title, whole] = [meanOf('titleCosine'), meanOf('textCosine')]
  // Equal candidates share a rank: their order by id means nothing.
  const firstOf = new Map<string, number>()
  const rankOf = (pair: readonly number[], position: number) => {
    const key = pair.join()
    if (!firstOf.has(key)) firstOf.set(key, position)
    return firstOf.get(key)! + 1
  }
  return pairs.map((pair, position) => [
    ...pair,
    1 / rankOf(pair, position),
    pair[title.index]! - title.mean,
    pair[whole.index]! - whole.mean,
  ])
}
