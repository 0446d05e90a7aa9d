import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { expandSearch } from '../api/calls.ts'
import { ApiError } from '../api/client.ts'
import { readEvents } from '../api/events.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { CollectionProgress, ErrorBody, SearchAnswer, SearchMeta } from '../api/types.ts'
import { pageSize, searchInput, type View } from './view.ts'

export interface ExpansionState {
  state: 'ready' | 'running' | 'done' | 'failed'
  topics: string[]
  /** By topic and platform. */
  collections: ReadonlyMap<string, CollectionProgress>
  meta: SearchMeta | null
  error: unknown
}

export const collectionKey = (topic: string, platform: string): string => `${topic}\n${platform}`

const ready: ExpansionState = { state: 'ready', topics: [], collections: new Map(), meta: null, error: null }

/**
 * The live collection of the topics around a search. Leaving the view ends it. When it is done, the list is read again.
 */
export function useExpansion(view: View) {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  const [state, setState] = useState(ready)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const finish = useCallback(
    (answer: SearchAnswer) => {
      done()
      setState((before) => ({ ...before, state: 'done', meta: answer.meta }))
      // The rows, the pool and the topics have changed.
      void queries.invalidateQueries({ queryKey: [owner, 'rows'] })
      void queries.invalidateQueries({ queryKey: [owner, 'usage'] })
      void queries.invalidateQueries({ queryKey: [owner, 'topics'] })
    },
    [done, queries, owner],
  )

  const start = useCallback(async () => {
    if (running.current) return
    const controller = new AbortController()
    running.current = controller
    setState({ ...ready, state: 'running' })
    // Nothing is collected from what was imported.
    const platforms = view.platforms.filter((name) => name !== 'import')
    const input = {
      ...searchInput(view, { limit: pageSize, offset: 0 }),
      ...(platforms.length > 0 ? { platforms } : {}),
    }
    try {
      const answer = await follow(await expandSearch(input, keyFor(input), controller.signal), (change) => {
        if (!controller.signal.aborted) setState(change)
      })
      if (!controller.signal.aborted) finish(answer)
    } catch (error) {
      if (!controller.signal.aborted) setState((before) => ({ ...before, state: 'failed', error }))
    } finally {
      running.current = null
    }
  }, [view, keyFor, finish])

  const stop = useCallback(() => {
    running.current?.abort()
    setState(ready)
  }, [])
  return { ...state, start, stop }
}

type Change = (before: ExpansionState) => ExpansionState

/** Reads the stream to its answer. @throws ApiError, also for an error that the stream ends with, with its status. */
async function follow(response: Response, tell: (change: Change) => void): Promise<SearchAnswer> {
  // The replay of a lost answer is JSON, not a stream.
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.json()
  for await (const { event, data } of readEvents(response)) {
    const said: unknown = JSON.parse(data)
    if (event === 'result') return said as SearchAnswer
    if (event === 'error') throw streamError(said)
    if (event === 'topics') tell((before) => ({ ...before, topics: (said as { topics: string[] }).topics }))
    if (event === 'collection') {
      const progress = said as CollectionProgress
      tell((before) => ({
        ...before,
        collections: new Map(before.collections).set(collectionKey(progress.topic, progress.platform), progress),
      }))
    }
  }
  throw new ApiError(0, null)
}

function streamError(said: unknown): ApiError {
  const { status, error } = said as Partial<ErrorBody> & { status?: number }
  return new ApiError(status ?? 500, error ?? null)
}
