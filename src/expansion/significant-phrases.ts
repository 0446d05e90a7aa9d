import type { Background } from './background.ts'
import { type Candidate, type Candidates, collectCandidates, queryWords, type Source } from './candidates.ts'
import { logLikelihood } from './log-likelihood.ts'
import { functionWords, root } from './words.ts'

interface SignificantPhrase {
  key: string
  written: string
  /** What `written` is ordered by; more is better. */
  score: number
  found: number
}

export interface PhraseOptions {
  background: Background
  /** Of the authors and their parts, in lower case and without spaces: they are no topics. */
  names: ReadonlySet<string>
  most: number
  signal: AbortSignal
}

/** Chance once in a thousand. */
const leastSignificance = 10.83
/** A phrase must be so many times as frequent as elsewhere. */
const leastRatio = 3
/** With fewer other requests than this, nothing can be said of what is frequent elsewhere. */
const leastBackground = 20
/** A single word says less than a phrase, so more people must have written it. */
const authorsOfSingleWord = 5
/** A word gives way to a phrase that has it and is found so often beside it. */
const phraseShare = 0.4
/** A query of so many words is a sentence; a part of it is a topic. */
const wordsOfSentence = 4

const compact = (text: string) => text.replaceAll(' ', '')

/**
 * The phrases that are much more frequent in what a query found than in requests at large, the best first, each said once.
 * What the query says itself is left out, except a part of a long one.
 */
export async function significantPhrases(
  query: string,
  sources: readonly Source[],
  { background, names, most, signal }: PhraseOptions,
): Promise<string[]> {
  const candidates = await collectCandidates(query, sources, background, signal)
  const words = queryWords(query)
  const scored = candidates.phrases
    .filter(({ written }) => !names.has(compact(written)))
    .map((candidate) => assess(words, candidate, candidates, background))
    .filter((phrase) => phrase !== null)
  const best = withoutParts(scored).sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
  return distinct(best, most).map(({ written }) => written)
}

function assess(
  words: readonly string[],
  candidate: Candidate,
  { among, inBackground }: Candidates,
  background: Background,
): SignificantPhrase | null {
  const { key, written, found, authors, foundInTitles } = candidate
  // What was found is no part of "elsewhere": otherwise a small cache would have no background.
  const others = background.size - inBackground
  const elsewhere = Math.min(others, Math.max(0, background.count(key) - candidate.inBackground))
  if (others < leastBackground) return null
  const significance = logLikelihood(found, among, elsewhere, others)
  const ratio = found / among / ((elsewhere + 0.5) / (others + 1))
  if (significance < leastSignificance || ratio < leastRatio) return null
  const keys = key.split(' ')
  if (keys.length === 1 && authors < authorsOfSingleWord) return null
  const relation = relationTo(words, key)
  if (relation === 'same') return null
  const weights = { part: 0.5, shares: 1.5, apart: 1 }
  const length = keys.length > 1 ? 1.5 : 0.8
  // What people put in titles is what they write about.
  const score = significance * (0.3 + foundInTitles / found) * weights[relation] * length
  return { key, written, score, found }
}

/** How the words of a phrase stand to those of the query; a part of a long query is a topic of its own. */
function relationTo(words: readonly string[], key: string): 'same' | 'part' | 'shares' | 'apart' {
  const keys = key.split(' ')
  const telling = keys.filter((word) => !functionWords.has(word))
  const asked = words.map(root)
  const shared = telling.filter((word) => asked.includes(root(word))).length
  if (shared === telling.length || words.join('').includes(compact(key))) {
    const isPart = words.length >= wordsOfSentence && keys.length > 1 && keys.length * 2 <= words.length
    return isPart ? 'part' : 'same'
  }
  return shared > 0 ? 'shares' : 'apart'
}

/** "acoustic" goes where "acoustic guitar" stays. */
function withoutParts(phrases: readonly SignificantPhrase[]): SignificantPhrase[] {
  const longer = phrases.filter(({ key }) => key.includes(' '))
  const isPart = ({ key, found }: SignificantPhrase) =>
    longer.some((phrase) => phrase.found >= found * phraseShare && phrase.key.split(' ').includes(key))
  return phrases.filter((phrase) => phrase.key.includes(' ') || !isPart(phrase))
}

/** The first of those that say the same: one has all words of the other, or they differ by spaces only. */
function distinct(phrases: readonly SignificantPhrase[], most: number): SignificantPhrase[] {
  const chosen: { phrase: SignificantPhrase; words: ReadonlySet<string> }[] = []
  for (const phrase of phrases) {
    if (chosen.length === most) break
    const words = new Set(phrase.key.split(' ').map(root))
    const repeats = chosen.some(
      (other) =>
        compact(other.phrase.key) === compact(phrase.key) ||
        [...words].every((word) => other.words.has(word)) ||
        [...other.words].every((word) => words.has(word)),
    )
    if (!repeats) chosen.push({ phrase, words })
  }
  return chosen.map(({ phrase }) => phrase)
}
