import { searchWords } from '../../topic-words.ts'

/** Longer queries are a 422. The documentation excludes qualifiers from the count, reports include them. */
const queryLimit = 256
/** At most five AND, OR and NOT in a query (docs.github.com/search-github, "Troubleshooting search queries"). */
const maxTopicsPerQuery = 6

/**
 * The labels that projects use for wishes. A comma between labels is an OR; the word OR with parentheses is a 422. A token also
 * opens private repositories, but what is stored is shown to every account: `is:public` excludes them
 * (docs.github.com/search-github, "Search by repository visibility").
 */
const qualifiers =
  'is:issue is:open is:public label:enhancement,feature,"feature request",feature-request,"type: feature",kind/feature,suggestion'

/**
 * The query of one topic; words beyond the limit are left out.
 * @returns null when the topic has no words to search for.
 */
export function githubQuery(topic: string): string | null {
  let query = ''
  for (const word of searchWords(topic)) {
    // In quotes a word is never an operator or a qualifier.
    const longer = `${query}"${word}" `
    if (longer.length + qualifiers.length > queryLimit) break
    query = longer
  }
  return query === '' ? null : query + qualifiers
}

/**
 * One query for several topics, in GitHub's advanced search: there parentheses group and OR joins, which the plain search
 * refuses with a 422. Source: docs.github.com/issues ("Filtering and searching issues"); `gh` does so since 2.79 (cli/cli
 * issue 9828).
 */
export function githubQueryTogether(topics: readonly string[]): string {
  const groups = topics.map((topic) => {
    const words = searchWords(topic).map((word) => `"${word}"`)
    return `(${words.join(' ')})`
  })
  return `(${groups.join(' OR ')}) ${qualifiers}`
}

/** How many of the topics, from the first on, fit into one query; at least 1. */
export function countTopicsPerQuery(topics: readonly string[]): number {
  let count = Math.min(topics.length, maxTopicsPerQuery)
  while (count > 1 && githubQueryTogether(topics.slice(0, count)).length > queryLimit) count--
  return count
}
