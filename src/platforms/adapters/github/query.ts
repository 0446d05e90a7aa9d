import { searchWords } from '../../topic-words.ts'
import { isoSecond } from '../newest-first.ts'

/** Longer queries are a 422. The documentation excludes qualifiers from the count, reports include them. */
const queryLimit = 256
/** At most five AND, OR and NOT in a query (docs.github.com/search-github, "Troubleshooting search queries"). */
const maxOperators = 5

/**
 * A token also opens private repositories, but what is stored is shown to every account: `is:public` excludes them
 * (docs.github.com/search-github, "Search by repository visibility"). `is:issue` must stand outside of an OR.
 */
const scope = 'is:issue is:public'
/** The labels that projects use for wishes. A comma between labels is an OR, in every kind of search. */
const labels = 'label:enhancement,feature,"feature request",feature-request,"type: feature",kind/feature,suggestion'
/** Issue types exist in organisations only; `Feature` is a default one (GitHub changelog of 2025-03-18). */
const labelsOrType = `(${labels} OR type:Feature)`

/** Of an advanced search, which has parentheses and OR; others have only the labels, because they answer 422 to both. */
export interface QueryForm {
  isAdvanced: boolean
  /** The repository of an account, `owner/repository`: all of its issues, archived or not. */
  repository?: string | undefined
  since?: Date | null | undefined
}

/**
 * The query of one topic; words beyond the limit are left out. Open and closed issues, so that a wish that was fulfilled is
 * found too.
 * @returns null when the topic has no words to search for.
 */
export function githubQuery(
  topic: string,
  { isAdvanced, repository, since }: QueryForm = { isAdvanced: true },
): string | null {
  // `repo:` must not stand inside parentheses (docs.github.com, "Filtering and searching issues").
  const where = repository === undefined ? `archived:false ${isAdvanced ? labelsOrType : labels}` : `repo:${repository}`
  return createdSince(quotedWithin(topic, `${scope} ${where}`), since)
}

/** One query for several topics, in advanced search: there parentheses group and OR joins (cli/cli issue 9828). */
export function githubQueryTogether(topics: readonly string[]): string {
  const groups = topics.map((topic) => {
    const words = searchWords(topic).map((word) => `"${word}"`)
    return `(${words.join(' ')})`
  })
  return `(${groups.join(' OR ')}) ${scope} archived:false ${labelsOrType}`
}

/** How many of the topics, from the first on, fit into one query; at least 1. */
export function countTopicsPerQuery(topics: readonly string[]): number {
  // One operator is between the labels and the type, so as many others join the topics.
  let count = Math.min(topics.length, maxOperators)
  while (count > 1 && githubQueryTogether(topics.slice(0, count)).length > queryLimit) count--
  return count
}

/** The names that categories for wishes usually have; `Ideas` is a default one. Each is a search of its own. */
const categories = ['Ideas', 'Feature Requests', 'Feature Request', 'Suggestions']

/**
 * The queries for discussions; whether `category:` can be repeated is not documented, so each category has its own. In the
 * repository of an account all categories are searched, because their names are free.
 * With `since` they are in the order newest first, which the argument list of GraphQL does not have.
 * @returns an empty list when the topic has no words to search for.
 */
export function discussionQueries(topic: string, repository?: string, since?: Date | null): string[] {
  const scopes =
    repository === undefined
      ? categories.map((category) => `is:public archived:false category:"${category}"`)
      : [`is:public repo:${repository}`]
  const order = since ? ' sort:created-desc' : ''
  return scopes.flatMap((scope) => createdSince(quotedWithin(topic, scope + order), since) ?? [])
}

/** Left out where it would cost a word of the topic: newest first, what is older only ends the search. */
function createdSince(query: string | null, since: Date | null | undefined): string | null {
  if (query === null || !since) return query
  const narrowed = `${query} created:>=${isoSecond(since)}`
  return narrowed.length > queryLimit ? query : narrowed
}

function quotedWithin(topic: string, qualifiers: string): string | null {
  let query = ''
  for (const word of searchWords(topic)) {
    // In quotes a word is never an operator or a qualifier.
    const longer = `${query}"${word}" `
    if (longer.length + qualifiers.length > queryLimit) break
    query = longer
  }
  return query === '' ? null : query + qualifiers
}
