import type { Background } from './background.ts'
import { type Candidate, type Candidates, collectCandidates, queryWords, type Source } from './candidates.ts'
import { functionWords, root } from './words.ts'

const term = (observed: number, expected: number) => (observed > 0 ? observed * Math.log(observed / expected) : 0)

/**
 * Log-likelihood ratio G² of a phrase in `found` of `among` texts versus `foundElsewhere` of `amongOthers` (Dunning,
 * "Accurate methods for the statistics of surprise and coincidence", 1993, whole contingency table). Counts may be
 * weighted. 0 if not more frequent than elsewhere; above 10.83, chance is below 1 in 1,000.
 */
function logLikelihood(found: number, among: number, foundElsewhere: number, amongOthers: number): number {
  if (among <= 0 || amongOthers <= 0 || found / among <= foundElsewhere / amongOthers) return 0
  const total = among + amongOthers
  const having = found + foundElsewhere
  const lacking = total - having
  return (
    2 *
    (term(found, (among * having) / total) +
      term(foundElsewhere, (amongOthers * having) / total) +
      term(among - found, (among * lacking) / total) +
      term(amongOthers - foundElsewhere, (amongOthers * lacking) / total))
  )
}

interface SignificantPhrase {
  key: string
  written: string
  score: number
  found: number
}

export interface PhraseOptions {
  background: Background
  /** Author names and their parts, lower case, without spaces: never topics. */
  names: ReadonlySet<string>
  limit: number
  signal: AbortSignal
}

/** Probability of chance: 1 in 1,000. */
const minSignificance = 10.83
/** Minimum frequency relative to other requests. */
const minRatio = 3
/** Fewer other requests give no reliable frequency. */
const minBackground = 20
/** A single word is less specific than a phrase, so it needs more authors. */
const authorsOfSingleWord = 5
/** Drops a word if a phrase that contains it occurs in this share of its requests. */
const phraseShare = 0.4
/** A query this long is a sentence, part of which can be a topic. */
const wordsOfSentence = 4

const compact = (text: string) => text.replaceAll(' ', '')

/** Phrases much more frequent here than in all requests, best first, without repeats and the query's own. */
export async function significantPhrases(
  query: string,
  sources: readonly Source[],
  { background, names, limit, signal }: PhraseOptions,
): Promise<string[]> {
  const candidates = await collectCandidates(query, sources, background, signal)
  const words = queryWords(query)
  const scored = candidates.phrases
    .filter(({ written }) => !names.has(compact(written)))
    .map((candidate) => assess(words, candidate, candidates, background))
    .filter((phrase) => phrase !== null)
  const best = withoutParts(scored).sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
  return distinct(best, limit).map(({ written }) => written)
}

function assess(
  words: readonly string[],
  candidate: Candidate,
  { among, inBackground }: Candidates,
  background: Background,
): SignificantPhrase | null {
  const { key, written, found, authors, foundInTitles } = candidate
  // Excludes the found requests: otherwise a small cache would have no background.
  const others = background.size - inBackground
  const elsewhere = Math.min(others, Math.max(0, background.count(key) - candidate.inBackground))
  if (others < minBackground) return null
  const significance = logLikelihood(found, among, elsewhere, others)
  const ratio = found / among / ((elsewhere + 0.5) / (others + 1))
  if (significance < minSignificance || ratio < minRatio) return null
  const keys = key.split(' ')
  if (keys.length === 1 && authors < authorsOfSingleWord) return null
  const relation = relationTo(words, key)
  if (relation === 'same') return null
  const weights = { part: 0.5, shares: 1.5, apart: 1 }
  const length = keys.length > 1 ? 1.5 : 0.8
  // A title names the subject of a request.
  const score = significance * (0.3 + foundInTitles / found) * weights[relation] * length
  return { key, written, score, found }
}

/** How a phrase relates to the query. Part of a long query is a topic of its own. */
function relationTo(words: readonly string[], key: string): 'same' | 'part' | 'shares' | 'apart' {
  const keys = key.split(' ')
  const telling = keys.filter((word) => !functionWords.has(word))
  const queryRoots = words.map(root)
  const shared = telling.filter((word) => queryRoots.includes(root(word))).length
  if (shared === telling.length || words.join('').includes(compact(key))) {
    const isPart = words.length >= wordsOfSentence && keys.length > 1 && keys.length * 2 <= words.length
    return isPart ? 'part' : 'same'
  }
  return shared > 0 ? 'shares' : 'apart'
}

/** Drops "acoustic" if "acoustic guitar" is frequent enough. */
function withoutParts(phrases: readonly SignificantPhrase[]): SignificantPhrase[] {
  const longer = phrases.filter(({ key }) => key.includes(' '))
  const isPart = ({ key, found }: SignificantPhrase) =>
    longer.some((phrase) => phrase.found >= found * phraseShare && phrase.key.split(' ').includes(key))
  return phrases.filter((phrase) => phrase.key.includes(' ') || !isPart(phrase))
}

/** Drops phrases that repeat an earlier one: its words are a subset or superset, or only spaces differ. */
function distinct(phrases: readonly SignificantPhrase[], limit: number): SignificantPhrase[] {
  const chosen: { phrase: SignificantPhrase; words: ReadonlySet<string> }[] = []
  for (const phrase of phrases) {
    if (chosen.length === limit) break
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
