import { join } from 'node:path'
import { lockDataDirectory } from '../../../database/embedded/lock.ts'
import { pauseUnlessAborted, unlessAborted } from '../../../runtime/abort.ts'
import { type Backlog, backlog } from '../outbox/outbox.ts'
import { createSearchIndex, type SearchIndex } from '../search-index.ts'
import { LostPositionError } from './follower.ts'
import {
  buildIndex,
  closeSession,
  discardIndex,
  followAlways,
  openSession,
  type Session,
  type SessionOptions,
} from './session.ts'
import { LocalIndexError } from './store.ts'

/** `building` also while an index that exists catches up with the changes of the time in which the process did not run. */
export type LocalIndexState = 'building' | 'ready'

export interface LocalIndexStatus {
  state: LocalIndexState
  /** How many requests it has, as last counted. */
  requests: number
  /** How old the last moment is of which it has everything, in milliseconds; null while it is building. */
  behindMs: number | null
}

export interface LocalIndexOptions extends Omit<SessionOptions, 'directory'> {
  /** The data directory of this process alone: the index is in a directory of it. */
  dataDir: string
}

export interface LocalIndex {
  /** Searches this index; null while it is building. Its methods throw LocalIndexError where the index fails. */
  searchIndex(): SearchIndex | null
  /** Waits until the index has all changes that were committed before this call. @returns false when that takes longer. */
  follow(maxMs: number): Promise<boolean>
  /** Takes a failure of a search. The index is closed, thrown away unless the failure is a passing one, and built again. */
  fail(error: LocalIndexError): void
  status(): LocalIndexStatus
  /** What it has not read of the log of changes; null while it is building. */
  backlog(): Promise<Omit<Backlog, 'name'> | null>
  /** Increases with each change of what the index answers. */
  revision(): number
  /** Begins to build and to follow, in the background. */
  start(): void
  stop(): Promise<void>
}

/** The directory of the index in the data directory of the process. */
export const indexIn = (dataDir: string): string => join(dataDir, 'search-index')

/** After the first failure at once; then less and less often, as the cause may stay. */
const pausesMs = [0, 1_000, 10_000, 60_000, 300_000]
/** An index that ran for so long counts as sound again. */
const soundAfterMs = 60_000

/** Whether an index is useless after an error: then another one is built. */
const isFatal = (error: unknown): boolean =>
  error instanceof LostPositionError || (error instanceof LocalIndexError && !error.isPassing)

/** What searches see of the life of an index. */
interface Current {
  session: Session | null
  /** Null until the session is built. */
  searchIndex: SearchIndex | null
  /** What sessions that have ended, and beginnings and ends, add to the revision. */
  revision: number
}

/** One life of an index, until it fails or the process stops. @throws what it failed with. */
async function runSession(options: SessionOptions, current: Current, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  const session = await openSession(options)
  const untilFailure = <T>(work: Promise<T>) => Promise.race([work, session.failure.promise])
  let isSound = false
  current.session = session
  try {
    await untilFailure(buildIndex(options, session, signal))
    current.searchIndex = createSearchIndex(session.store.engine())
    current.revision++
    const tookMs = Math.round(performance.now() - startedAt)
    options.log.info({ requests: session.requests, tookMs }, 'the search index of this process is ready')
    await untilFailure(followAlways(options, session, signal))
    isSound = true
  } catch (error) {
    isSound = !(error instanceof LocalIndexError)
    throw error
  } finally {
    current.session = null
    current.searchIndex = null
    current.revision += session.follower.revision() + 1
    await closeSession(options, session, isSound)
  }
}

/** One session after the other, until the process stops. */
async function runAlways(options: SessionOptions, current: Current, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const startedAt = performance.now()
    try {
      await runSession(options, current, signal)
    } catch (error) {
      if (signal.aborted) return
      failures = performance.now() - startedAt > soundAfterMs ? 1 : failures + 1
      options.log.error({ err: error }, 'the search index of this process failed')
      await pauseUnlessAborted(pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0, signal)
      const isOurs = !(error instanceof LostPositionError)
      if (isFatal(error)) await discardIndex(options, (error as Error).message, isOurs).catch(() => {})
    }
  }
}

/**
 * The search index of this process, in its data directory: a copy of what searches read, in an embedded database, which follows the log of
 * changes.
 * @throws DataDirectoryInUseError when another process has the directory.
 */
export function createLocalIndex({ dataDir, ...others }: LocalIndexOptions): LocalIndex {
  const options: SessionOptions = { ...others, directory: indexIn(dataDir) }
  const lock = lockDataDirectory(options.directory)
  const stopping = new AbortController()
  const current: Current = { session: null, searchIndex: null, revision: 0 }
  let running: Promise<void> = Promise.resolve()
  const fail = (error: LocalIndexError) => current.session?.failure.reject(error)
  return {
    searchIndex: () => current.searchIndex,
    follow: async (maxMs) => {
      if (current.session === null) return false
      try {
        await unlessAborted(current.session.follower.follow(), AbortSignal.timeout(maxMs))
        return true
      } catch (error) {
        if (error instanceof LocalIndexError) fail(error)
        return false
      }
    },
    fail,
    status: () => ({
      state: current.searchIndex === null ? 'building' : 'ready',
      requests: current.session?.requests ?? 0,
      behindMs: current.searchIndex && current.session ? Math.round(current.session.follower.behindMs()) : null,
    }),
    backlog: async () => {
      const consumer = current.searchIndex === null ? undefined : current.session?.identity.consumer
      return consumer === undefined ? null : ((await backlog(options.database, [consumer]))[0] ?? null)
    },
    revision: () => current.revision + (current.session?.follower.revision() ?? 0),
    start: () => {
      running = runAlways(options, current, stopping.signal)
    },
    stop: async () => {
      stopping.abort()
      await running
      lock.release()
    },
  }
}
