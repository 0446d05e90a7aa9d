import type { ComparedText } from './compared-text.ts'
import { areSiblings } from './conflicts.ts'
import { featureNames, featuresOfCandidates } from './features.ts'
import { areOfOneProduct } from './products.ts'
import { rarityOf, type WordCounts } from './rarity.ts'
import { pairModel } from './weights.ts'

/** Requests at least this similar are joined into a wish (decision 046). */
export const joiningThreshold = pairModel.joiningThreshold
/** Others at least this similar are shown as possibly the same. */
export const possiblySameThreshold = pairModel.possiblySameThreshold

const conflicts = (['opposed', 'differentNumbers', 'differentParts', 'differentSubjects'] as const).map((name) =>
  featureNames.indexOf(name),
)
const [opposed, numbers, parts, subjects] = conflicts as [number, number, number, number]

/** Weighs a conflicting pair for being shown, by the share of true pairs among judged ones of its kind. */
function worthOf(features: readonly number[], isSibling: boolean): number {
  if (features[opposed]! > 0 || features[numbers]! > 0) return 0.3
  if (isSibling) return 0.5
  if (features[subjects]! === 1) return 0.6
  return features[parts]! > 0 ? 0.8 : 1
}
/** The same for another product. */
const worthOfOtherProduct = 0.3

/** Scales a similarity above the threshold for showing by a pair's worth. */
const discounted = (similarity: number, worth: number): number =>
  similarity <= possiblySameThreshold
    ? similarity
    : possiblySameThreshold + (similarity - possiblySameThreshold) * worth

/** Titles without a conflict say the same in other words: at least this similar, whatever the texts. */
const sameTitle = joiningThreshold / 2

/** Maps similarities below the threshold, keeping their order: the most alike are still shown first. */
function belowJoining(similarity: number): number {
  const kept = joiningThreshold * 0.8
  if (similarity <= kept) return similarity
  return kept + ((similarity - kept) / (1 - kept)) * (joiningThreshold * 0.99 - kept)
}

/** Whether a pair has a conflict and so is only shown, never joined, however similar it is. */
export const isVetoed = (features: readonly number[]): boolean => conflicts.some((index) => features[index]! > 0)

/** @param features by `featureNames` @param isSibling a conflict over nearly the same text @returns 0 to 1 */
function similarityOfFeatures(features: readonly number[], isSibling: boolean): number {
  let sum: number = pairModel.bias
  for (const [index, name] of featureNames.entries()) sum += pairModel.weights[name] * features[index]!
  const similarity = 1 / (1 + Math.exp(-sum))
  return isVetoed(features)
    ? discounted(belowJoining(similarity), worthOf(features, isSibling))
    : Math.max(similarity, sameTitle)
}

/** How likely each candidate asks for the same, 0 to 1. @param candidates best match first */
export const similaritiesOf = (text: ComparedText, candidates: readonly ComparedText[], counts: WordCounts): number[] =>
  featuresOfCandidates(text, candidates, (one, other) => rarityOf(counts, [one, other])).map((features, index) => {
    const candidate = candidates[index]!
    const similarity = similarityOfFeatures(features, areSiblings(text, candidate))
    if (!areOfOneProduct(text, candidate)) return discounted(belowJoining(similarity), worthOfOtherProduct)
    const isSaid = !isVetoed(features) && text.subject.relations === candidate.subject.relations
    return isSaid ? Math.max(similarity, joiningThreshold) : similarity
  })
