import type { Logger } from 'pino'
import { tidyDataDirectory } from '../../../database/embedded/data-directory.ts'
import type { Database } from '../../../database/open.ts'
import { pauseUnlessAborted } from '../../../runtime/abort.ts'
import { createUpkeep, type Upkeep } from '../../../upkeep/upkeep.ts'
import { dropConsumer } from '../outbox/outbox.ts'
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

export interface SessionOptions {
  /** The database with the requests. */
  database: Database
  /** Where the index is. The caller holds its lock. */
  directory: string
  log: Logger
  /** For tests: requests that one step of a build copies, and what is called before each step. */
  batch?: number | undefined
  beforeStep?: ((copied: number) => Promise<void>) | undefined
  /** For tests: how long a statement of a search may take. */
  searchMs?: number | undefined
}

/** An index that is open. */
export interface Session {
  store: IndexStore
  follower: Follower
  upkeep: Upkeep
  identity: Identity
  /** How many requests it has, as last counted. */
  requests: number
  /** Rejected when the index fails. */
  failure: PromiseWithResolvers<never>
}

/** Without searches, the changes are written this often. */
const followEveryMs = 500
/** The least sizes of the files are recorded this often. */
const recordEveryMs = 30_000
/** A close that takes longer leaves the index as one that was open: it is built again only after another start of the machine. */
const maxFlushMs = 5_000

/** Deletes an index. @param isOurs whether the log has stored changes for it and for no other process. */
export async function discardIndex(
  { database, directory, log }: SessionOptions,
  why: string,
  isOurs: boolean,
): Promise<void> {
  const consumer = readIdentity(directory)?.consumer
  log.info({ why }, 'the search index of this process is built anew')
  deleteIndex(directory)
  if (consumer !== undefined && isOurs) await dropConsumer(database, consumer)
}

/** Opens an index, and makes it where there is none or a damaged one. @throws LocalIndexError */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { database, directory, log } = options
  tidyDataDirectory(directory)
  const damage = findDamage(directory, readIdentity(directory))
  if (damage !== null) await discardIndex(options, damage, true)
  // Before the database: whatever a crash leaves of it has a name, and is known to have been open.
  const identity = markOpen(directory, readIdentity(directory) ?? newIdentity())
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {})
  const store = await openStore(directory, failure.reject, options.searchMs)
  try {
    const upkeep = await createUpkeep({ client: store.client, log })
    const follower = createFollower({ database, store, consumer: identity.consumer })
    return { store, follower, upkeep, identity, requests: await store.countRequests(), failure }
  } catch (error) {
    await store.close().catch(() => {})
    throw new LocalIndexError(error)
  }
}

async function record({ directory }: SessionOptions, session: Session): Promise<void> {
  session.identity.files = await session.store.readSizes()
  writeIdentity(directory, session.identity)
  session.requests = await session.store.countRequests()
}

/** Makes an index complete and up to date. @throws as `completeIndex`. */
export async function buildIndex(options: SessionOptions, session: Session, signal: AbortSignal): Promise<void> {
  const { database, batch, beforeStep } = options
  const { store, follower, identity, upkeep } = session
  upkeep.start()
  const onCopied = (copied: number) => {
    session.requests += copied
  }
  const { consumer } = identity
  await completeIndex({ database, store, follower, consumer, signal, onCopied, batch, beforeStep })
  await record(options, session)
}

/** Follows until the index fails. While the shared database is away it waits. @throws LocalIndexError or LostPositionError */
export async function followAlways(options: SessionOptions, session: Session, signal: AbortSignal): Promise<void> {
  const { follower } = session
  const recorded = { at: performance.now(), revision: follower.revision() }
  for (let isAway = false; !signal.aborted; await pauseUnlessAborted(followEveryMs, signal)) {
    try {
      await follower.follow()
      isAway = false
    } catch (error) {
      if (error instanceof LocalIndexError || error instanceof LostPositionError) throw error
      if (!isAway) options.log.warn({ err: error }, 'the search index of this process cannot follow the changes now')
      isAway = true
    }
    if (performance.now() - recorded.at < recordEveryMs || follower.revision() === recorded.revision) continue
    recorded.at = performance.now()
    recorded.revision = follower.revision()
    await record(options, session)
  }
}

/** @param isSound false after a failure: then nothing of it is recorded. */
export async function closeSession(options: SessionOptions, session: Session, isSound: boolean): Promise<void> {
  const { directory, log } = options
  const { store, upkeep, identity } = session
  await upkeep.stop()
  if (isSound) await record(options, session).catch(() => {})
  await store.close().catch(() => {})
  if (!isSound) return
  const flushed = flushIndex(directory, identity).catch((error) => log.debug({ err: error }, 'flushing failed'))
  await Promise.race([flushed, pauseUnlessAborted(maxFlushMs, AbortSignal.timeout(maxFlushMs))])
}
