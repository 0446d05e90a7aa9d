import { asPage } from '../../content/fields.ts'
import type { FoundRequest, Page, PageRequest, Platform } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { createLister, type GitlabOptions, groupLimits, type ListRequest, readingLimits, searchLimits } from './api.ts'
import { listedInJob, listedInVariable } from './errors.ts'
import { createIssueSearch } from './listing.ts'
import { createRefresh } from './refresh.ts'
import { readSource } from './source.ts'
import { createVisibilityCheck } from './visibility.ts'

/**
 * Issues of the configured public projects that have every word of the topic in their title or description, open and closed
 * (`GET /projects/:id/issues`, 100 a page). Across all projects GitLab lets only users search.
 *
 * Each project has its own label for wishes, and several labels in one request mean all of them. So the configuration
 * names one for each project; fetching all issues and filtering here would spend the scarce searches on bug reports.
 *
 * Newest first: there is no order by relevance, and ordered by popularity a refresh would never show what is new.
 */
export function createGitlab(options: GitlabOptions): Platform {
  const { clock, baseUrl, token, projects } = options
  const hasToken = token !== undefined
  const lister = createLister(options, token, searchLimits(baseUrl, hasToken))
  const fetchIssues = createIssueSearch(lister, clock)
  // A token would also show the private projects of a group.
  const fetchGroup = hasToken
    ? createIssueSearch(createLister(options, undefined, groupLimits(baseUrl)), clock)
    : fetchIssues
  const reader = createLister(options, token, readingLimits(baseUrl))
  const checkVisibility = createVisibilityCheck({ ...options, searchBudget: lister.budget })

  async function fetchSource(
    named: string,
    listedIn: string,
    words: readonly string[],
    page: number,
    { signal, newestSince: since }: PageRequest,
  ): Promise<SourcePage> {
    const { kind, path, label } = readSource(named)
    const source: ListRequest['source'] = { kind, path, listedIn }
    if (hasToken && kind === 'projects') await checkVisibility(source, signal)
    return (kind === 'groups' ? fetchGroup : fetchIssues)({ source, label, words, page, signal, since })
  }

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const { topic, sources } = request
    const words = searchWords(topic)
    if (words.length === 0) return null
    const listedIn = sources ? listedInJob : listedInVariable
    return fetchRoundRobin({
      sources: sources ?? projects,
      request,
      fetchFrom: async (source, cursor) => {
        const page = await fetchSource(source, listedIn, words, asPage(cursor, 1), request)
        return sources ? inOwnSource(page, source) : page
      },
    })
  }

  return {
    name: 'gitlab',
    fetchPage,
    verifySource: (source, signal) => checkVisibility({ ...readSource(source), listedIn: listedInJob }, signal),
    refresh: createRefresh(reader.list, hasToken ? checkVisibility : null),
  }
}

function inOwnSource(page: SourcePage, source: string): SourcePage {
  const owned = (found: FoundRequest[]) => found.map((request) => ({ ...request, ownSource: source }))
  const { requests, offTopic = [] } = page
  return { ...page, requests: owned(requests), offTopic: owned(offTopic) }
}
