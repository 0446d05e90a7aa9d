import { asFields, asId } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import { type FoundRequest, type Refresh, type Refreshed, SourceRefusedError } from '../../platform.ts'
import { requiredList } from '../required-list.ts'
import type { ListIssues, ListRequest } from './api.ts'
import { listedInVariable } from './errors.ts'
import { isConfidential, readIssue } from './post.ts'
import type { CheckVisibility } from './visibility.ts'

/** One page, and an address of about two thousand characters. */
const maxIssues = 100

/**
 * The issues of one project by their numbers (`GET /projects/:id/issues?iids[]=`): no search, so it costs jobs nothing.
 * @param checkVisibility null without a token.
 */
export function createRefresh(list: ListIssues, checkVisibility: CheckVisibility | null): Refresh {
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
        return refreshed(handles, requests, confidentialHandles(issues))
      } catch (error) {
        // Private, deleted or moved: the project cannot be read, which says nothing about its issues.
        if (error instanceof SourceRefusedError) return unreadable(handles)
        throw error
      }
    },
  }
}

const unreadable = (handles: readonly string[]) => handles.map((handle): Refreshed => ({ handle, state: 'unreadable' }))

const issuesOf = (body: unknown) => requiredList(body, { label: 'gitlab', items: 'issues', variable: 'GITLAB_API_URL' })

/** A public project answers with an empty list when its issues are switched off or only for members. */
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

/** An issue that is not in the list was deleted or became confidential. */
function refreshed(handles: readonly string[], found: FoundRequest[], confidential: ReadonlySet<string>): Refreshed[] {
  const byHandle = new Map(found.map((request) => [request.refreshHandle, request]))
  return handles.map((handle) => {
    const request = byHandle.get(handle)
    if (request) return { handle, state: 'found', request }
    return { handle, state: confidential.has(handle) ? 'unreadable' : 'missing' }
  })
}

/** Only a token shows confidential issues. */
function confidentialHandles(issues: readonly unknown[]): ReadonlySet<string> {
  const hidden = issues.flatMap((issue) => {
    const fields = asFields(issue)
    return fields && isConfidential(fields) ? [`${asId(fields.project_id)}#${asId(fields.iid)}`] : []
  })
  return new Set(hidden)
}
