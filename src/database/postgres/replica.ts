import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../errors.ts'
import type { Database, Executor } from '../open.ts'
import type { ReadDatabase } from '../reads.ts'
import { includesVersion, readAnswerVersion } from './answer-version.ts'

/** `used`: it serves reads. `behind`: it has replayed too little. `away`: it cannot be reached, or fails. */
export type ReplicaState = 'used' | 'behind' | 'away'

export interface ReplicaStatus {
  state: ReplicaState
  /** Milliseconds that it was behind the primary, when that was last measured; null before that and while it is away. */
  lagMs: number | null
}

export interface ReplicaReads {
  read: ReadDatabase
  status(): ReplicaStatus
}

export interface ReplicaReadsOptions {
  primary: Database
  replica: Database
  /** The version on the primary, as new as the call; null while it is not known. */
  readPrimaryVersion: () => Promise<string | null>
  log: Pick<Logger, 'info' | 'warn'>
}

/** How long a read waits for the replica, in steps: a healthy one is a few milliseconds behind. */
const waitsMs = [0, 3, 7, 15, 25, 50]
/** While the replica is not used, how often it is tried. */
const probeEveryMs = 500

class ReplicaNotUsableError extends Error {
  override readonly name = 'ReplicaNotUsableError'
  readonly state: ReplicaState
  constructor(state: ReplicaState, cause?: unknown) {
    super(`The replica is ${state}.`, { cause })
    this.state = state
  }
}

/** SQLSTATEs of a read that the replica ended because it conflicts with what it replays (40001, 40P01). */
const conflicts = new Set(['40001', '40P01'])
const codeOf = (error: unknown) => (error as { code?: string } | null)?.code ?? ''
/** The statement took too long, as it would on the primary. */
const timeLimitCode = '57014'

/** @throws ReplicaNotUsableError unless the server of the executor has everything of the version, now or within a moment. */
async function requireVersion(executor: Executor, version: string): Promise<void> {
  try {
    for (const waitMs of waitsMs) {
      if (waitMs > 0) await sleep(waitMs)
      if (includesVersion(await readAnswerVersion(executor), version)) return
    }
  } catch (error) {
    throw new ReplicaNotUsableError('away', error)
  }
  throw new ReplicaNotUsableError('behind')
}

/** What an error of a read on the replica says about the replica; null when it says nothing, and the caller gets the error. */
function stateAfter(error: unknown): ReplicaState | null {
  if (error instanceof ReplicaNotUsableError) return error.state
  if (conflicts.has(codeOf(error))) return 'used'
  return isDatabaseUnavailable(error) && codeOf(error) !== timeLimitCode ? 'away' : null
}

/** The time since the commit of what it replayed last: its lag, while there is something to replay. */
async function readReplayLag(replica: Database): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select (1000 * extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()))::double precision as ms`.execute(
    replica,
  )
  return rows[0]?.ms ?? null
}

/**
 * Reads on a replica that follows the primary by streaming replication. Each read first compares the version on the connection that it reads
 * on, so any number of replicas may be behind one address. What a replica lacks is read from the primary, at once while it stays behind.
 */
export function createReplicaReads({ primary, replica, readPrimaryVersion, log }: ReplicaReadsOptions): ReplicaReads {
  const status: ReplicaStatus = { state: 'used', lagMs: null }
  let probedAt = Number.NEGATIVE_INFINITY
  let isProbing = false

  const enter = (state: ReplicaState, lagMs: number | null, cause?: unknown) => {
    const before = status.state
    status.state = state
    status.lagMs = lagMs
    if (state === before) return
    if (state === 'used') log.info('the replica is used again')
    else log.warn({ err: cause, lagMs }, `the replica is ${state}: the primary serves its reads`)
  }
  const probe = async () => {
    try {
      const version = await readPrimaryVersion()
      const lagMs = await readReplayLag(replica)
      if (version === null) return
      await requireVersion(replica, version).then(
        () => enter('used', 0),
        (error: ReplicaNotUsableError) => enter(error.state, error.state === 'behind' ? lagMs : null, error.cause),
      )
    } catch (error) {
      enter('away', null, error)
    }
  }
  const probeSometimes = () => {
    if (isProbing || performance.now() - probedAt < probeEveryMs) return
    isProbing = true
    void probe().finally(() => {
      isProbing = false
      probedAt = performance.now()
    })
  }
  const readOnReplica = async <T>(version: string, read: (executor: Executor) => Promise<T>): Promise<T> =>
    replica
      .transaction()
      .setAccessMode('read only')
      .execute(async (transaction) => {
        const startedAt = performance.now()
        await requireVersion(transaction, version)
        status.lagMs = Math.round(performance.now() - startedAt)
        return read(transaction)
      })
  return {
    status: () => ({ ...status }),
    read: async (read) => {
      if (status.state !== 'used') {
        probeSometimes()
        return read(primary)
      }
      const version = await readPrimaryVersion()
      if (version === null) return read(primary)
      try {
        return await readOnReplica(version, read)
      } catch (error) {
        const state = stateAfter(error)
        if (state === null) throw error
        if (state !== 'used') enter(state, null, error)
        return read(primary)
      }
    },
  }
}
