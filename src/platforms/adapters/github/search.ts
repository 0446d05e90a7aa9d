import { asFields, asName, asPage } from '../../content/fields.ts'
import { type Json, type Page, type PageRequest, type Platform, SourceRefusedError } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { createTopicBatches } from '../topic-batches.ts'
import { createGithubApi, type GithubApi, type GithubOptions } from './api.ts'
import { fetchDiscussions } from './discussions.ts'
import { createIssueSearch, type IssueSearch } from './issues.ts'
import { countTopicsPerQuery } from './query.ts'
import { createRefresh } from './refresh.ts'
import { isPublicRepository } from './repository.ts'

/**
 * Issues of public repositories labeled or typed as a wish, open and closed, with every word of the topic in title,
 * body or comments (`GET /search/issues`, 100 a page, 10 pages); with a token also discussions, round-robin.
 * By best match: by reactions, famous projects that mention the words in passing would come first.
 */
export function createGithub(options: GithubOptions): Platform {
  const api = createGithubApi(options)
  const issues = createIssueSearch(api)
  const fetchFirstPage = createTopicBatches({
    platform: 'github',
    clock: options.clock,
    countFitting: countTopicsPerQuery,
    fetchOne: (topic, signal) => issues.fetchTopic({ topic, page: 1, signal }),
    fetchTogether: issues.fetchTopics,
  })

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const { topic, cursor, signal, mayShare = false, newestSince: since } = request
    if (searchWords(topic).length === 0) return null
    if (request.sources) return fetchOwnSources(api, issues, request, request.sources)
    // Topics sharing a page have no common `since`.
    if (mayShare && cursor === null && !since) return fetchFirstPage(topic, signal)
    if (!api.hasToken) return issues.fetchTopic({ topic, page: asPage(cursor, 1), signal, since })
    return fetchIssuesAndDiscussions(api, issues, request)
  }

  return {
    name: 'github',
    fetchPage,
    verifySource: (source, signal) => verifyRepository(api, source, signal),
    refresh: createRefresh(api),
  }
}

const nothing: SourcePage = { requests: [], nextCursor: null }

/** Separate hosts, because their limits and failures are separate. */
function fetchIssuesAndDiscussions(api: GithubApi, issues: IssueSearch, request: PageRequest): Promise<Page | null> {
  const { topic, signal, newestSince: since } = request
  return fetchRoundRobin({
    sources: ['issues', 'discussions'],
    request,
    hostOf: (source) => source,
    fetchFrom: async (source, cursor) => {
      if (source === 'discussions') return (await fetchDiscussions(api, { topic, cursor, signal, since })) ?? nothing
      return (await issues.fetchTopic({ topic, page: asPage(cursor, 1), signal, since })) ?? nothing
    },
  })
}

/** Per repository first the issues, then, with a token, the discussions. */
function fetchOwnSources(
  api: GithubApi,
  issues: IssueSearch,
  request: PageRequest,
  sources: readonly string[],
): Promise<Page | null> {
  const { topic, signal, newestSince: since } = request
  const discussions: Json = { discussions: true }
  return fetchRoundRobin({
    sources,
    request,
    fetchFrom: async (repository, cursor) => {
      const fields = asFields(cursor)
      const isPastIssues = fields !== null && ('discussions' in fields || 'after' in fields)
      const page = isPastIssues
        ? await fetchDiscussions(api, { topic, repository, cursor, signal, since })
        : await issues.fetchTopic({ topic, repository, page: asPage(cursor, 1), signal, since })
      const { nextCursor, ...found } = page ?? nothing
      const continues = !isPastIssues && nextCursor === null && api.hasToken
      return {
        ...found,
        nextCursor: continues ? discussions : nextCursor,
        ...(since && !isPastIssues && api.hasToken ? { nextCursorIfKnown: discussions } : {}),
      }
    },
  })
}

/** `GET /repos/{owner}/{repository}` answers 404 if it does not exist, or is private and not accessible. */
async function verifyRepository(api: GithubApi, source: string, signal: AbortSignal): Promise<void> {
  const { status, body } = await api.read(`/repos/${source}`, signal)
  if (status !== 200) {
    throw new SourceRefusedError(`github has no public repository "${source}". Check its owner and name.`)
  }
  const repository = asFields(body)
  if (!isPublicRepository(repository))
    throw new SourceRefusedError(`The repository "${source}" of github is not public.`)
  const name = (asName(repository?.full_name) ?? source).toLowerCase()
  // Searches do not follow renames.
  if (name !== source) throw new SourceRefusedError(`The repository "${source}" of github is now "${name}".`)
}
