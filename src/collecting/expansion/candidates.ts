import { createPauses } from '../../runtime/event-loop.ts'
import { normaliseText } from '../../runtime/text/normalise.ts'
import { tellingWords } from '../../runtime/text/words.ts'
import type { Background } from './background.ts'
import { type Clause, clausesOf, phrasesOf } from './clauses.ts'
import { functionWords, genericWords, singular } from './words.ts'

/** A request that matches a query, with the texts for phrases. */
export interface Source {
  id: string
  title: string
  description: string
  /** Its author; all unknown authors count as one. */
  author: string
}

/** A phrase of this many authors identifies none of them. */
export const authorsNeeded = 3

/** A phrase of the found requests. Author counts are weighted: a request with all query words counts 1. */
export interface Candidate {
  key: string
  written: string
  authors: number
  found: number
  foundInTitles: number
  /** Found requests with it that are also in the background. */
  inBackground: number
}

export interface Candidates {
  phrases: Candidate[]
  among: number
  /** Found requests that are also in the background. */
  inBackground: number
}

/** Requests below this share of the best coverage are ignored. */
const minCoverage = 0.5

/** The meaningful words of a query; all of its words if none is. */
export function queryWords(query: string): string[] {
  const words = tellingWords(query)
  const telling = words.filter((word) => !functionWords.has(word) && !genericWords.has(word))
  return [...new Set((telling.length > 0 ? telling : words).map(singular))]
}

interface ReadSource extends Source {
  titleClauses: Clause[]
  clauses: Clause[]
  /** Share of the query's words it contains, 0 to 1; rarer words weigh more. */
  coverage: number
}

async function readSources(
  query: string,
  sources: readonly Source[],
  background: Background,
  signal: AbortSignal,
): Promise<ReadSource[]> {
  const pause = createPauses()
  const words = queryWords(query)
  const rarities = words.map((word) => Math.sqrt(Math.log((background.size + 2) / (background.count(word) + 1)) + 0.1))
  const total = rarities.reduce((sum, rarity) => sum + rarity, 0)
  const read: ReadSource[] = []
  for (const source of sources) {
    const { title, description } = source
    const present = new Set(normaliseText(`${title} ${description}`).split(' ').map(singular))
    const covered = words.reduce((sum, word, index) => sum + (present.has(word) ? rarities[index]! : 0), 0)
    read.push({
      ...source,
      titleClauses: clausesOf(title),
      clauses: clausesOf(description),
      coverage: total === 0 ? 0 : covered / total,
    })
    await pause()
    signal.throwIfAborted()
  }
  return read
}

const textOf = (clause: Clause) => clause.map(({ key }) => key).join(' ')

/** A clause of three or more words that several authors share is form text. */
function textsOfForms(sources: readonly ReadSource[]): ReadonlySet<string> {
  const authors = new Map<string, Set<string>>()
  for (const { clauses, author } of sources) {
    for (const clause of clauses) {
      if (clause.length < 3) continue
      const text = textOf(clause)
      authors.set(text, (authors.get(text) ?? new Set()).add(author))
    }
  }
  return new Set([...authors].filter(([, names]) => names.size >= authorsNeeded).map(([text]) => text))
}

interface Collected {
  key: string
  /** Per author, the weight of their best request with the phrase. */
  authors: Map<string, number>
  titleAuthors: Map<string, number>
  forms: Map<string, number>
  inBackground: Set<string>
}

const keepBest = (weights: Map<string, number>, author: string, weight: number) =>
  weights.set(author, Math.max(weight, weights.get(author) ?? 0))

/** Phrases that at least three authors of the found requests wrote. Each author counts once. */
export async function collectCandidates(
  query: string,
  sources: readonly Source[],
  background: Background,
  signal: AbortSignal,
): Promise<Candidates> {
  const pause = createPauses()
  const read = await readSources(query, sources, background, signal)
  const best = Math.max(0, ...read.map(({ coverage }) => coverage))
  const formTexts = textsOfForms(read)
  const collected = new Map<string, Collected>()
  const authors = new Map<string, number>()
  for (const source of read) {
    const relative = best === 0 ? 0 : source.coverage / best
    if (relative < minCoverage) continue
    const weight = relative ** 3
    keepBest(authors, source.author, weight)
    collect(collected, source, { weight, formTexts, isInBackground: background.has(source.id) })
    await pause()
  }
  const phrases = [...collected.values()].filter((phrase) => phrase.authors.size >= authorsNeeded).map(toCandidate)
  const inBackground = sources.filter(({ id }) => background.has(id)).length
  return { phrases, among: sum(authors), inBackground }
}

interface Circumstances {
  weight: number
  formTexts: ReadonlySet<string>
  isInBackground: boolean
}

function collect(
  collected: Map<string, Collected>,
  { id, titleClauses, clauses, author }: ReadSource,
  { weight, formTexts, isInBackground }: Circumstances,
): void {
  const ownClauses = clauses.filter((clause) => !formTexts.has(textOf(clause)))
  for (const [part, isTitle] of [[titleClauses, true] as const, [ownClauses, false] as const]) {
    for (const { key, written } of phrasesOf(part)) {
      const phrase = collected.get(key) ?? newPhrase(key)
      collected.set(key, phrase)
      keepBest(phrase.authors, author, weight)
      if (isTitle) keepBest(phrase.titleAuthors, author, weight)
      if (isInBackground) phrase.inBackground.add(id)
      const form = written.toLowerCase()
      phrase.forms.set(form, (phrase.forms.get(form) ?? 0) + 1)
    }
  }
}

const newPhrase = (key: string): Collected => ({
  key,
  authors: new Map(),
  titleAuthors: new Map(),
  forms: new Map(),
  inBackground: new Set(),
})

const sum = (weights: ReadonlyMap<string, number>) => [...weights.values()].reduce((total, weight) => total + weight, 0)

const toCandidate = ({ key, authors, titleAuthors, forms, inBackground }: Collected): Candidate => ({
  key,
  written: [...forms].reduce((best, form) => (form[1] > best[1] ? form : best))[0],
  authors: authors.size,
  found: sum(authors),
  foundInTitles: sum(titleAuthors),
  inBackground: inBackground.size,
})
