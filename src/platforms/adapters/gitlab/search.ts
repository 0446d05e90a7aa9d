import { asFields, asId, asPage } from '../../content/fields.ts'
import { readItems, requiredList } from '../../content/items.ts'
import {
  byHandle,
  type Page,
  type PageRequest,
  type Platform,
  type Refresh,
  SourceRefusedError,
  unreadable,
} from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import {
  createLister,
  type GitlabOptions,
  groupLimits,
  type ListIssues,
  type ListRequest,
  listedInJob,
  listedInVariable,
  readingLimits,
  searchLimits,
} from './api.ts'
import { createIssueSearch } from './listing.ts'
import { isConfidential, readIssue } from './post.ts'
import { readSource } from './source.ts'
import { type CheckVisibility, createVisibilityCheck } from './visibility.ts'

/** One page, with an address of about 2,000 characters. */
const maxIssues = 100

/** `GET /projects/:id/issues?iids[]=` is no search, so free for jobs. @param checkVisibility null without a token */
function createRefresh(list: ListIssues, checkVisibility: CheckVisibility | null): Refresh {
  return {
    maxHandles: maxIssues,
    groupOf: (handle) => projectOf(handle) ?? '',
    async read(handles, signal) {
      const project = projectOf(handles[0] ?? '')
      if (project === null) return unreadable(handles)
      const source: ListRequest['source'] = { kind: 'projects', path: project, listedIn: listedInVariable }
      try {
        await checkVisibility?.(source, signal)
        const { body } = await list({ source, parameters: parametersOf(handles), signal })
        const issues = issuesOf(body)
        if (issues.length === 0 && (await showsNoIssues(list, source, signal))) return unreadable(handles)
        const { requests } = await readItems(issues, readIssue)
        // An issue not in the list was deleted or became confidential.
        const confidential = confidentialHandles(issues)
        return byHandle(handles, requests, (handle) => (confidential.has(handle) ? 'unreadable' : 'missing'))
      } catch (error) {
        // The project is private, deleted or moved, which proves nothing about its issues.
        if (error instanceof SourceRefusedError) return unreadable(handles)
        throw error
      }
    },
  }
}

const issuesOf = (body: unknown) => requiredList(body, { label: 'gitlab', items: 'issues', variable: 'GITLAB_API_URL' })

/** A public project with issues disabled or for members only answers with an empty list. */
async function showsNoIssues(list: ListIssues, source: ListRequest['source'], signal: AbortSignal): Promise<boolean> {
  const { body } = await list({ source, parameters: { scope: 'all', state: 'all', per_page: 1 }, signal })
  return issuesOf(body).length === 0
}

function parametersOf(handles: readonly string[]): URLSearchParams {
  const parameters = new URLSearchParams({ scope: 'all', state: 'all', per_page: String(maxIssues) })
  for (const handle of handles) parameters.append('iids[]', handle.split('#')[1] ?? '')
  return parameters
}

const projectOf = (handle: string): string | null => /^([^#]+)#\d+$/.exec(handle)?.[1] ?? null

/** Only tokens show confidential issues. */
function confidentialHandles(issues: readonly unknown[]): ReadonlySet<string> {
  const hidden = issues.flatMap((issue) => {
    const fields = asFields(issue)
    return fields && isConfidential(fields) ? [`${asId(fields.project_id)}#${asId(fields.iid)}`] : []
  })
  return new Set(hidden)
}

/**
 * Issues of the configured public projects, open and closed, with every word of the topic in title or description (`GET
 * /projects/:id/issues`, 100 a page). Only users may search across all projects.
 * Each project has its own wish label, and several labels mean AND, so one is configured per project; filtering here
 * would spend scarce searches on bug reports. Newest first: there is no relevance order, and by popularity a refresh
 * would never show new issues.
 */
export function createGitlab(options: GitlabOptions): Platform {
  const { clock, baseUrl, token, projects } = options
  const hasToken = token !== undefined
  const lister = createLister(options, token, searchLimits(baseUrl, hasToken))
  const fetchIssues = createIssueSearch(lister, clock)
  // A token would also show a group's private projects.
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
      fetchFrom: (source, cursor) => fetchSource(source, listedIn, words, asPage(cursor, 1), request),
    })
  }

  return {
    name: 'gitlab',
    fetchPage,
    verifySource: (source, signal) => checkVisibility({ ...readSource(source), listedIn: listedInJob }, signal),
    refresh: createRefresh(reader.list, hasToken ? checkVisibility : null),
  }
}
