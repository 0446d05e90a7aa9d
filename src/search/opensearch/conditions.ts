import type { Standing } from '../../database/column-types.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import type { RequestFilters } from '../../requests/filters/filters.ts'
import type { View } from '../../requests/view.ts'
import type { Part, RankedQuery, SearchQuery } from '../engine.ts'
import type { Phrase } from '../query.ts'
import { hasUnrankedForms, isOneWord, quotedWords, someOf, type Term } from '../terms.ts'
import type { Clause } from './cluster.ts'
import { stemsOf } from './documents.ts'

const both = (clauses: readonly Clause[]): Clause => ({ bool: { filter: clauses } })
const either = (clauses: readonly Clause[]): Clause => ({ bool: { should: clauses, minimum_should_match: 1 } })
const not = (clause: Clause): Clause => ({ bool: { must_not: [clause] } })

/** Any of the words, scored by how many match, their rarity and their frequency for the text's length (BM25). */
const anyOf = (words: readonly string[]): Clause => ({
  match: { stems: { query: words.map(stemsOf).join(' '), operator: 'or' } },
})

/** Above the score of 32 rare words, so that matches of all words come first. Leaves three decimals for scores. */
export const allWordsScore = 2_000

/** Any of the words, with full matches first. */
export const rankedBy = ({ words, terms }: RankedQuery): Clause => {
  if (isOneWord(terms)) return anyOf(words)
  const whole = { constant_score: { filter: both(terms.map(hasTerm)), boost: allWordsScore } }
  if (hasUnrankedForms(terms)) return either([anyOf(words), whole])
  return { bool: { must: [anyOf(words)], should: [whole] } }
}

/** One of the alternatives, with all its words, adjacent if quoted. */
const hasTerm = (term: Term): Clause =>
  either(
    term.map((words) => {
      const quoted = quotedWords(words)
      // Stems have no positions, so forms of several words match as written.
      if (quoted !== null && quoted.length > 1) return { match_phrase: { words: quoted.join(' ') } }
      return { match: { stems: { query: stemsOf(quoted?.[0] ?? words), operator: 'and' } } }
    }),
  )

/** One of the forms, word by word as written, within one field. */
const hasPhrase = (forms: Phrase): Clause => either(forms.map((form) => ({ match_phrase: { words: form } })))

const hasPart = ({ terms }: SearchQuery, part: Part): Clause[] =>
  part === 'all' ? terms.map(hasTerm) : [hasTerm(someOf(terms)), not(both(terms.map(hasTerm)))]

/** All phrases and no exclusion. */
export const hasTexts = ({ phrases, excluded }: Pick<SearchQuery, 'phrases' | 'excluded'>): Clause[] => [
  ...phrases.map(hasPhrase),
  ...excluded.map((forms) => not(hasPhrase(forms))),
]

const microseconds = (date: Date) => date.getTime() * 1_000

const posted = ({ since, until }: RequestFilters): Clause[] => {
  if (since === undefined && until === undefined) return []
  const range = { ...(since ? { gte: microseconds(since) } : {}), ...(until ? { lt: microseconds(until) } : {}) }
  return [{ range: { posted_at: range } }]
}

const passes = (filters: RequestFilters): Clause[] => [
  ...(filters.platforms ? [{ terms: { platform: filters.platforms } }] : []),
  ...(filters.topic === undefined ? [] : [{ term: { topics: topicKey(filters.topic) } }]),
  ...(filters.tags ?? []).map((tag) => ({ term: { tags: tag } })),
  ...(filters.minVotes === undefined ? [] : [{ range: { votes: { gte: filters.minVotes } } }]),
  ...posted(filters),
  ...(filters.products ? [{ terms: { product: filters.products } }] : []),
  ...(filters.status ? [{ terms: { status: filters.status } }] : []),
]

/** Requests in some classes of a view: as the account sees them if that differs, else as all do. */
function inClasses({ account }: View, classes: readonly Standing[]): Clause {
  const shared: Clause = { terms: { standing: classes } }
  if (account === null) return shared
  const own = { terms: { own: classes.map((standing) => `${account}:${standing}`) } }
  return either([own, { bool: { filter: [shared], must_not: [{ term: { own_accounts: account } }] } }])
}

/** Requests with a part of the words, the phrases and no exclusion that pass the filters, in some classes of a view. */
export const matching = (query: SearchQuery, part: Part, view: View, classes: readonly Standing[]): Clause =>
  both([...hasPart(query, part), ...hasTexts(query), ...passes(query.filters), inClasses(view, classes)])
