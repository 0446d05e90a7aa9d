import type { ComparedText } from './compared-text.ts'
import { featureNames, featuresOfCandidates } from './features.ts'
import { rarityOf, type WordCounts } from './rarity.ts'
import { pairModel } from './weights.ts'

/** Requests that are at least this similar are joined into one wish (decision 046). */
export const joiningThreshold = pairModel.joiningThreshold
/** Others that are at least this similar are shown as possibly the same. */
export const possiblySameThreshold = pairModel.possiblySameThreshold

/** Pairs with one of these are never joined, only shown: all other words of their titles may be the same. */
const vetoes = (['opposed', 'differentNumbers', 'differentSubjects'] as const).map((name) => featureNames.indexOf(name))
const belowJoining = joiningThreshold * 0.99

/** @param features by `featureNames`. @returns 0 to 1 */
export function similarityOfFeatures(features: readonly number[]): number {
  let sum: number = pairModel.bias
  for (const [index, name] of featureNames.entries()) sum += pairModel.weights[name] * features[index]!
  const similarity = 1 / (1 + Math.exp(-sum))
  return vetoes.some((index) => features[index] === 1) ? Math.min(similarity, belowJoining) : similarity
}

/** How likely each candidate asks for the same as a request, 0 to 1. @param candidates the best match first. */
export const similaritiesOf = (text: ComparedText, candidates: readonly ComparedText[], counts: WordCounts): number[] =>
  featuresOfCandidates(text, candidates, (one, other) => rarityOf(counts, [one, other])).map(similarityOfFeatures)
