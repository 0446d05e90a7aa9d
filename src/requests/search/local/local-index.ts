import { join } from 'node:path'
import type { Logger } from 'pino'
import { tidyDataDirectory } from '../../../database/embedded/data-directory.ts'
import { lockDataDirectory } from '../../../database/embedded/lock.ts'
import type { Database } from '../../../database/open.ts'
import { pauseUnlessAborted, unlessAborted } from '../../../runtime/abort.ts'
import { createUpkeep, type Upkeep } from '../../../upkeep/upkeep.ts'
import { dropConsumer } from '../outbox/outbox.ts'
import { createSearchIndex, type SearchIndex } from '../search-index.ts'
import { completeIndex } from './build.ts'
import { createFollower, type Follower, LostPositionError } from './follower.ts'
import {
  deleteIndex,
  findDamage,
  flushIndex,
  type Identity,
  markOpen,
  newIdentity,
  readIdentity,
  writeIdentity,
} from './identity.ts'
import { type IndexStore, LocalIndexError, openStore } from './store.ts'

/** `building` also while an index that exists catches up with the changes of the time in which the process did not run. */
export type LocalIndexState = 'building' | 'ready'

export interface LocalIndexStatus {
  state: LocalIndexState
  /** How many requests it has, as far as it is built. */
  requests: number
  /** How old the last moment is of which it has everything, in milliseconds; null while it is building. */
  behindMs: number | null
}

export interface LocalIndexOptions {
  /** The database with the requests. */
  database: Database
  /** The data directory of this process alone: the index is in a directory of it. */
  dataDir: string
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'debug'>
  /** For tests: requests that one step of a build copies, what is called before each step, and how long to wait after failures. */
  batch?: number
  beforeStep?: (copied: number) => Promise<void>
  pausesMs?: readonly number[]
}

export interface LocalIndex {
  /** Searches this index; null while it is building. Its methods throw LocalIndexError where the index fails. */
  searchIndex(): SearchIndex | null
  /** Waits until the index has all changes that were committed before this call. @returns false when that takes longer. */
  follow(maxMs: number): Promise<boolean>
  /** Takes a failure of a search. The index is closed, thrown away unless the disk or the memory is full, and built again. */
  fail(error: LocalIndexError): void
  status(): LocalIndexStatus
  revision(): number
  /** Begins to build and to follow, in the background. */
  start(): void
  stop(): Promise<void>
}

/** The directory of the index in the data directory of the process. */
export const indexIn = (dataDir: string): string => join(dataDir, 'search-index')

/** After the first failure at once; then less and less often, as the cause may stay. */
const defaultPausesMs = [0, 1_000, 10_000, 60_000, 300_000]
/** An index that ran for so long counts as sound again. */
const soundAfterMs = 60_000
/** Without searches, the changes are written this often. */
const followEveryMs = 500
/** The least sizes of the files are recorded this often. */
const recordSizesMs = 30_000

/** A close that takes longer leaves the index as one that was open: it is built again only after another start of the machine. */
const maxFlushMs = 5_000

/** An index that is open. */
interface Session {
  store: IndexStore
  follower: Follower
  upkeep: Upkeep
  identity: Identity
  /** Rejected when the index fails. */
  failure: PromiseWithResolvers<never>
}

/** A full disk or memory: a new index would fail in the same way. */
const isLackOfResources = (error: LocalIndexError): boolean =>
  /^53/.test(String((error.cause as { code?: unknown })?.code))

/** Whether an index is useless after an error: then another one is built. */
const isFatal = (error: unknown): boolean =>
  error instanceof LostPositionError || (error instanceof LocalIndexError && !isLackOfResources(error))

/**
 * The search index of this process, in its data directory: a copy of what searches read, in an embedded database, which follows the log of
 * changes.
 * @throws DataDirectoryInUseError when another process has the directory.
 */
export function createLocalIndex(options: LocalIndexOptions): LocalIndex {
  const { database, log, pausesMs = defaultPausesMs } = options
  const directory = indexIn(options.dataDir)
  const lock = lockDataDirectory(directory)
  const stopping = new AbortController()
  const { signal } = stopping
  let session: Session | null = null
  let ready: SearchIndex | null = null
  let requests = 0
  let changesOfState = 0
  let running: Promise<void> = Promise.resolve()

  const setReady = (searchIndex: SearchIndex | null) => {
    ready = searchIndex
    changesOfState++
  }
  const recordSizes = async ({ store, identity }: Session) => {
    identity.files = await store.readSizes()
    writeIdentity(directory, identity)
  }

  /** Deletes the index. @param isOurs whether the log has stored changes for it and for no other process. */
  const discard = async (why: string, isOurs: boolean) => {
    const consumer = readIdentity(directory)?.consumer
    log.info({ why }, 'the search index of this process is built anew')
    deleteIndex(directory)
    if (consumer !== undefined && isOurs) await dropConsumer(database, consumer)
  }
  const open = async (): Promise<Session> => {
    tidyDataDirectory(directory)
    const damage = findDamage(directory, readIdentity(directory))
    if (damage !== null) await discard(damage, true)
    // Before the database: whatever a crash leaves of it has a name, and is known to have been open.
    const identity = markOpen(directory, readIdentity(directory) ?? newIdentity())
    const failure = Promise.withResolvers<never>()
    failure.promise.catch(() => {})
    const store = await openStore(directory, failure.reject)
    try {
      const upkeep = await createUpkeep({ client: store.client, log: log as Logger })
      const follower = createFollower({ database, store, consumer: identity.consumer })
      return { store, follower, upkeep, identity, failure }
    } catch (error) {
      await store.close().catch(() => {})
      throw new LocalIndexError(error)
    }
  }
  const close = async ({ store, upkeep, identity }: Session, isSound: boolean) => {
    await upkeep.stop()
    const sizes = isSound ? await store.readSizes().catch(() => null) : null
    await store.close().catch(() => {})
    if (sizes === null) return
    identity.files = sizes
    writeIdentity(directory, identity)
    const flushed = flushIndex(directory, identity).catch((error) => log.debug({ err: error }, 'flushing failed'))
    await Promise.race([flushed, pauseUnlessAborted(maxFlushMs, AbortSignal.timeout(maxFlushMs))])
  }
  const build = async (opened: Session) => {
    const { store, follower, identity, upkeep } = opened
    upkeep.start()
    requests = await store.countRequests()
    const onCopied = (copied: number) => {
      requests += copied
    }
    const { batch, beforeStep } = options
    await completeIndex({ database, store, follower, consumer: identity.consumer, signal, onCopied, batch, beforeStep })
    await recordSizes(opened)
    requests = await store.countRequests()
  }
  /** Follows until it fails; an error of the shared database is passed over. */
  const followAlways = async (opened: Session) => {
    let recordedAt = performance.now()
    let recorded = opened.follower.revision()
    for (let isAway = false; !signal.aborted; await pauseUnlessAborted(followEveryMs, signal)) {
      try {
        await opened.follower.follow()
        isAway = false
      } catch (error) {
        if (error instanceof LocalIndexError || error instanceof LostPositionError) throw error
        if (!isAway) log.warn({ err: error }, 'the search index of this process cannot follow the changes now')
        isAway = true
      }
      if (performance.now() - recordedAt > recordSizesMs && opened.follower.revision() !== recorded) {
        recordedAt = performance.now()
        recorded = opened.follower.revision()
        await recordSizes(opened)
        requests = await opened.store.countRequests()
      }
    }
  }
  /** One life of an index, until it fails or the process stops. */
  const live = async (): Promise<void> => {
    const startedAt = performance.now()
    const opened = await open()
    session = opened
    let isSound = false
    const untilFailure = <T>(work: Promise<T>) => Promise.race([work, opened.failure.promise])
    try {
      await untilFailure(build(opened))
      setReady(createSearchIndex(opened.store.engine))
      log.info(
        { requests, tookMs: Math.round(performance.now() - startedAt) },
        'the search index of this process is ready',
      )
      await untilFailure(followAlways(opened))
      isSound = true
    } catch (error) {
      isSound = !(error instanceof LocalIndexError)
      throw error
    } finally {
      session = null
      setReady(null)
      await close(opened, isSound)
    }
  }
  const run = async () => {
    for (let failures = 0; !signal.aborted; ) {
      const startedAt = performance.now()
      try {
        await live()
      } catch (error) {
        if (signal.aborted) return
        failures = performance.now() - startedAt > soundAfterMs ? 1 : failures + 1
        log.error({ err: error }, 'the search index of this process failed')
        await pauseUnlessAborted(pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0, signal)
        if (isFatal(error))
          await discard((error as Error).message, !(error instanceof LostPositionError)).catch(() => {})
      }
    }
  }
  return {
    searchIndex: () => ready,
    follow: async (maxMs) => {
      if (session === null) return false
      const timeout = AbortSignal.timeout(maxMs)
      return unlessAborted(session.follower.follow(), timeout).then(
        () => true,
        (error) => {
          if (error instanceof LocalIndexError) session?.failure.reject(error)
          return false
        },
      )
    },
    fail: (error) => session?.failure.reject(error),
    status: () => ({
      state: ready === null ? 'building' : 'ready',
      requests,
      behindMs: ready === null || session === null ? null : Math.round(session.follower.behindMs()),
    }),
    revision: () => changesOfState + (session?.follower.revision() ?? 0),
    start: () => {
      running = run()
    },
    stop: async () => {
      stopping.abort()
      await running
      lock.release()
    },
  }
}
