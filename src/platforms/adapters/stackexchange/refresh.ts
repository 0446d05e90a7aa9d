import { readItems } from '../../content/items.ts'
import { type Refresh, type Refreshed, SourceRefusedError } from '../../platform.ts'
import { type CallSite, isMissing, itemsOf } from './api.ts'
import { listedInVariable } from './errors.ts'
import { readQuestion } from './post.ts'

/** The maximum ids of one call (api.stackexchange.com/docs/questions-by-ids). */
const maxQuestions = 100

/**
 * Questions of one site by their ids. A deleted question is left out, or, where it is the only one, answered by an error 404; neither
 * says why, so both are `missing`.
 */
export function createRefresh(callSite: CallSite): Refresh {
  return {
    maxHandles: maxQuestions,
    groupOf: siteOf,
    async read(handles, signal) {
      const site = siteOf(handles[0] ?? '')
      if (site === '') return unreadable(handles)
      const ids = handles.map((handle) => handle.slice(site.length + 1)).join(';')
      try {
        const wrapper = await callSite({
          path: `/questions/${ids}`,
          site,
          listedIn: listedInVariable,
          // Without `pagesize` only 30 are answered.
          parameters: { filter: 'withbody', sort: 'activity', order: 'desc', pagesize: maxQuestions },
          signal,
          returnsMissing: handles.length === 1,
        })
        if (isMissing(wrapper)) return handles.map((handle) => ({ handle, state: 'missing' }))
        const { requests } = await readItems(itemsOf(wrapper), (question) => readQuestion(question, site))
        const byHandle = new Map(requests.map((request) => [request.refreshHandle, request]))
        return handles.map((handle): Refreshed => {
          const request = byHandle.get(handle)
          return request ? { handle, state: 'found', request } : { handle, state: 'missing' }
        })
      } catch (error) {
        if (error instanceof SourceRefusedError) return unreadable(handles)
        throw error
      }
    },
  }
}

const unreadable = (handles: readonly string[]) => handles.map((handle): Refreshed => ({ handle, state: 'unreadable' }))

/** A handle is `<site>:<question id>`; empty for another text. */
const siteOf = (handle: string): string => /^([\w.-]+):\d+$/.exec(handle)?.[1] ?? ''
