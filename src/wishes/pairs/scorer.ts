import type { ComparedText } from './compared-text.ts'
import { areSiblings } from './conflicts.ts'
import { featureNames, featuresOfCandidates } from './features.ts'
import { areOfOneProduct } from './products.ts'
import { rarityOf, type WordCounts } from './rarity.ts'
import { pairModel } from './weights.ts'

/** Requests that are at least this similar are joined into one wish (decision 046). */
export const joiningThreshold = pairModel.joiningThreshold
/** Others that are at least this similar are shown as possibly the same. */
export const possiblySameThreshold = pairModel.possiblySameThreshold

const conflicts = (['opposed', 'differentNumbers', 'differentParts', 'differentSubjects'] as const).map((name) =>
  featureNames.indexOf(name),
)
const [opposed, numbers, parts, subjects] = conflicts as [number, number, number, number]

/**
 * What a pair with a conflict is worth among those that people are asked: by the share that was right of pairs that were read. One of 10
 * with numbers, none of 11 with opposed words and of 35 of two products, 23 of 140 with words of both, 14 of 67 with a label, 22 of 121 with a word of one; of its
 * copies none of 20.
 */
function worthOf(features: readonly number[], isSibling: boolean): number {
  if (features[opposed]! > 0 || features[numbers]! > 0) return 0.3
  if (isSibling) return 0.5
  if (features[subjects]! === 1) return 0.6
  return features[parts]! > 0 ? 0.8 : 1
}
/** The same of another product. */
const worthOfOtherProduct = 0.3

/** As much of a similarity as a pair is worth; it is still shown. */
const discounted = (similarity: number, worth: number): number =>
  similarity <= possiblySameThreshold
    ? similarity
    : possiblySameThreshold + (similarity - possiblySameThreshold) * worth

/** Titles without a conflict say the same in other words: at least that similar, whatever the texts are. */
const sameTitle = joiningThreshold / 2

/** Below the threshold, in the same order as before: the most alike are still shown first. */
function belowJoining(similarity: number): number {
  const kept = joiningThreshold * 0.8
  if (similarity <= kept) return similarity
  return kept + ((similarity - kept) / (1 - kept)) * (joiningThreshold * 0.99 - kept)
}

/** Whether a pair has a conflict, so that it is only shown, never joined: all other words of its titles may be the same. */
export const isVetoed = (features: readonly number[]): boolean => conflicts.some((index) => features[index]! > 0)

/** @param features by `featureNames`. @param isSibling whether it has a conflict above nearly the same text. @returns 0 to 1 */
function similarityOfFeatures(features: readonly number[], isSibling: boolean): number {
  let sum: number = pairModel.bias
  for (const [index, name] of featureNames.entries()) sum += pairModel.weights[name] * features[index]!
  const similarity = 1 / (1 + Math.exp(-sum))
  return isVetoed(features)
    ? discounted(belowJoining(similarity), worthOf(features, isSibling))
    : Math.max(similarity, sameTitle)
}

/** How likely each candidate asks for the same as a request, 0 to 1. @param candidates the best match first. */
export const similaritiesOf = (text: ComparedText, candidates: readonly ComparedText[], counts: WordCounts): number[] =>
  featuresOfCandidates(text, candidates, (one, other) => rarityOf(counts, [one, other])).map((features, index) => {
    const candidate = candidates[index]!
    const similarity = similarityOfFeatures(features, areSiblings(text, candidate))
    if (!areOfOneProduct(text, candidate)) return discounted(belowJoining(similarity), worthOfOtherProduct)
    const isSaid = !isVetoed(features) && text.subject.relations === candidate.subject.relations
    return isSaid ? Math.max(similarity, joiningThreshold) : similarity
  })
