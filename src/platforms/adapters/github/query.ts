import { searchWords } from '../../topic-words.ts'
import { isoSecond } from '../newest-first.ts'

/** Longer queries are a 422. The documentation excludes qualifiers from the count; bug reports include them. */
const queryLimit = 256
/** At most five AND, OR and NOT per query (docs.github.com/search-github, "Troubleshooting search queries"). */
const maxOperators = 5

/**
 * `is:public` keeps out private repositories a token can read: every account sees what is stored
 * (docs.github.com/search-github, "Search by repository visibility"). `is:issue` must stand outside any OR.
 */
const scope = 'is:issue is:public'
/** Labels that projects use for wishes. A comma means OR, in every kind of search. */
const labels = 'label:enhancement,feature,"feature request",feature-request,"type: feature",kind/feature,suggestion'
/** Only organizations have issue types; `Feature` is a default one (GitHub changelog, 2025-03-18). */
const labelsOrType = `(${labels} OR type:Feature)`

/** Only advanced search has parentheses and OR; other searches answer 422 to both and get labels only. */
export interface QueryForm {
  isAdvanced: boolean
  /** An account's repository, `owner/repository`: searched in all its issues, including archived ones. */
  repository?: string | undefined
  since?: Date | null | undefined
}

/** Open and closed issues; words beyond the limit are dropped. @returns null if the topic has no words */
export function githubQuery(
  topic: string,
  { isAdvanced, repository, since }: QueryForm = { isAdvanced: true },
): string | null {
  // `repo:` must not stand in parentheses (docs.github.com, "Filtering and searching issues").
  const where = repository === undefined ? `archived:false ${isAdvanced ? labelsOrType : labels}` : `repo:${repository}`
  return createdSince(quotedWithin(topic, `${scope} ${where}`), since)
}

/** Combines several topics into one query. Advanced search only: it has parentheses and OR (cli/cli#9828). */
export function githubQueryTogether(topics: readonly string[]): string {
  const groups = topics.map((topic) => {
    const words = searchWords(topic).map((word) => `"${word}"`)
    return `(${words.join(' ')})`
  })
  return `(${groups.join(' OR ')}) ${scope} archived:false ${labelsOrType}`
}

/** How many of the first topics fit into one query; at least 1. */
export function countTopicsPerQuery(topics: readonly string[]): number {
  // One operator joins labels and type; the others join topics.
  let count = Math.min(topics.length, maxOperators)
  while (count > 1 && githubQueryTogether(topics.slice(0, count)).length > queryLimit) count--
  return count
}

/** Usual names of wish categories; `Ideas` is a default one. Each is a separate search. */
const categories = ['Ideas', 'Feature Requests', 'Feature Request', 'Suggestions']

/**
 * One query per category, because repeating `category:` is undocumented; an account's repository in all categories,
 * whose names vary. With `since`, sorted newest first within the query: GraphQL has no argument for it.
 * @returns an empty list if the topic has no words
 */
export function discussionQueries(topic: string, repository?: string, since?: Date | null): string[] {
  const scopes =
    repository === undefined
      ? categories.map((category) => `is:public archived:false category:"${category}"`)
      : [`is:public repo:${repository}`]
  const order = since ? ' sort:created-desc' : ''
  return scopes.flatMap((scope) => createdSince(quotedWithin(topic, scope + order), since) ?? [])
}

/** Dropped if it would cost a word of the topic: newest first, older results only end the search. */
function createdSince(query: string | null, since: Date | null | undefined): string | null {
  if (query === null || !since) return query
  const narrowed = `${query} created:>=${isoSecond(since)}`
  return narrowed.length > queryLimit ? query : narrowed
}

function quotedWithin(topic: string, qualifiers: string): string | null {
  let query = ''
  for (const word of searchWords(topic)) {
    // A quoted word is never an operator or qualifier.
    const longer = `${query}"${word}" `
    if (longer.length + qualifiers.length > queryLimit) break
    query = longer
  }
  return query === '' ? null : query + qualifiers
}
