import type { StatementResult } from './messages.ts'
import type { WorkerError } from './protocol.ts'
import { EmbeddedDatabaseError, type Operation } from './wire.ts'

const abortedTransaction: WorkerError = {
  message: 'current transaction is aborted: one of its statements failed, so it cannot be committed',
  fields: { code: '25P02' },
}

const endedTransaction: WorkerError = { message: 'the transaction has ended', fields: { code: '25P01' } }

export interface Queryable {
  query<T>(
    sql: string,
    parameters?: unknown[],
  ): Promise<{ rows: T[]; affectedRows?: number; fields: StatementResult['fields'] }>
}

export interface OpenTransaction extends Queryable {
  /** @throws with code 25P02, and rolls back, when one of its statements failed. */
  commit(): Promise<void>
  /** Does nothing when it has ended. */
  rollback(): Promise<void>
}

interface OfTransaction {
  call(operation: Operation): Promise<StatementResult[]>
  query: Queryable['query']
  /** Lets others in. */
  release(): void
  onEnd(): void
}

/** A transaction of who holds the turn. Its first and its last statement are sent without waiting for the answer. */
export function openTransaction({ call, query, release, onEnd }: OfTransaction): OpenTransaction {
  const begun = call({ operation: 'exec', sql: 'BEGIN' })
  // Whoever commits hears of it; a statement before that fails by itself.
  begun.catch(() => {})
  const underWay = new Set<Promise<unknown>>()
  let aborted = false
  /** Takes no more statements. */
  let ended = false

  const end = async (sql: 'COMMIT' | 'ROLLBACK') => {
    ended = true
    try {
      const last = call({ operation: 'exec', sql })
      // Whatever is sent from now on arrives behind it.
      release()
      await last
    } finally {
      onEnd()
    }
  }
  return {
    query: async <T>(sql: string, parameters?: unknown[]) => {
      if (ended) throw new EmbeddedDatabaseError(endedTransaction)
      const answer = query<T>(sql, parameters)
      underWay.add(answer)
      try {
        return await answer
      } catch (error) {
        aborted = true
        throw error
      } finally {
        underWay.delete(answer)
      }
    },
    commit: async () => {
      // A statement that came while it waits would be in nobody's count.
      ended = true
      const [first] = await Promise.allSettled([begun, ...underWay])
      if (!aborted && first.status === 'fulfilled') return end('COMMIT')
      // Postgres answers COMMIT of an aborted transaction with a silent rollback: nobody may take that for success.
      await end('ROLLBACK')
      throw first.status === 'rejected' ? first.reason : new EmbeddedDatabaseError(abortedTransaction)
    },
    rollback: async () => {
      if (!ended) await end('ROLLBACK')
    },
  }
}
