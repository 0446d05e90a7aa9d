import { setTimeout } from 'node:timers/promises'
import type { SearchIndex } from '../search-index.ts'
import type { LocalIndex } from './local-index.ts'
import { LocalIndexError } from './store.ts'

/** A search waits so long for the changes that were committed before it … */
const usualFollowMs = 250
/** … and uses an index that is no further behind than this. With the wait, no change is seen later than after two seconds. */
const maxBehindMs = 1_500
/** What places requests in wishes waits longer: a candidate that it misses is missed for good. */
const followForCandidatesMs = 10_000

/** In tests, how often a search that waits for the index checks it, and for how long, in milliseconds. */
const waitStepMs = 20
const maxWaitMs = 120_000

/** For tests. */
export interface LocalSearchOptions {
  /** How long a search waits for the changes that were committed before it, instead of the usual time. */
  followMs?: number
  /** Every search waits until the index is ready and has all changes, and no other index answers. */
  waitsForIndex?: boolean
}

/**
 * Searches the index of this process while it is ready and up to date, else the database. An answer of the database while the index is
 * building says so. Records are read from the database, whichever index finds them. A search that takes too long fails with the error of the
 * database for that (SQLSTATE 57014).
 */
export function createLocalSearch(
  base: SearchIndex,
  index: LocalIndex,
  { followMs = usualFollowMs, waitsForIndex = false }: LocalSearchOptions = {},
): SearchIndex {
  const waitForCurrent = async (): Promise<SearchIndex> => {
    for (const startedAt = performance.now(); performance.now() - startedAt < maxWaitMs; ) {
      const isUpToDate = index.searchIndex() !== null && (await index.follow(followForCandidatesMs))
      const searchIndex = index.searchIndex()
      if (isUpToDate && searchIndex !== null) return searchIndex
      await setTimeout(waitStepMs)
    }
    throw new Error('The search index of this process does not become ready.')
  }
  const current = async (maxMs: number, mayBeBehindMs: number): Promise<SearchIndex | null> => {
    const searchIndex = index.searchIndex()
    if (searchIndex === null) return null
    if (await index.follow(maxMs)) return index.searchIndex()
    const { behindMs } = index.status()
    return behindMs !== null && behindMs <= mayBeBehindMs ? index.searchIndex() : null
  }
  const ask = async <T>(
    read: (searchIndex: SearchIndex) => Promise<T>,
    maxMs = followMs,
    mayBeBehindMs = maxBehindMs,
  ): Promise<{ answer: T; isLocal: boolean }> => {
    const local = waitsForIndex ? await waitForCurrent() : await current(maxMs, mayBeBehindMs)
    if (local === null) return { answer: await read(base), isLocal: false }
    try {
      return { answer: await read(local), isLocal: true }
    } catch (error) {
      if (!(error instanceof LocalIndexError)) throw error
      index.fail(error)
      if (error.isTimeLimit) throw error.cause
      if (waitsForIndex) throw error
      return { answer: await read(base), isLocal: false }
    }
  }
  const marked = <T extends object>({ answer, isLocal }: { answer: T; isLocal: boolean }) =>
    isLocal ? answer : { ...answer, isIndexBuilding: true }
  return {
    get kind() {
      return index.searchIndex() === null ? base.kind : 'local'
    },
    revision: index.revision,
    search: async (executor, input) => marked(await ask((searchIndex) => searchIndex.search(executor, input))),
    rank: async (executor, input, options) =>
      marked(await ask((searchIndex) => searchIndex.rank(executor, input, options))),
    totals: async (executor, input) => (await ask((searchIndex) => searchIndex.totals(executor, input))).answer,
    candidates: async (executor, words, input) => {
      const read = (searchIndex: SearchIndex) => searchIndex.candidates(executor, words, input)
      return (await ask(read, followForCandidatesMs, 0)).answer
    },
  }
}
