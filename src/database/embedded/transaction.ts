import type { StatementResult, WorkerError } from './messages.ts'
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
  /** @throws code 25P02 after a rollback, if one of its statements failed */
  commit(): Promise<void>
  /** Does nothing once it has ended. */
  rollback(): Promise<void>
}

interface TransactionConnection {
  call(operation: Operation): Promise<StatementResult[]>
  query: Queryable['query']
  release(): void
  onEnd(): void
}

/** A lock holder's transaction. Its first and last statement are sent without waiting for the answer. */
export function openTransaction({ call, query, release, onEnd }: TransactionConnection): OpenTransaction {
  const begun = call({ operation: 'exec', sql: 'BEGIN' })
  // `commit` reports this failure; earlier statements fail by themselves.
  begun.catch(() => {})
  const underWay = new Set<Promise<unknown>>()
  let aborted = false
  /** Set once no more statements are accepted. */
  let ended = false

  const end = async (sql: 'COMMIT' | 'ROLLBACK') => {
    ended = true
    try {
      const last = call({ operation: 'exec', sql })
      // Everything sent later runs after it.
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
      // No more statements: `commit` would not wait for them.
      ended = true
      const [first] = await Promise.allSettled([begun, ...underWay])
      if (!aborted && first.status === 'fulfilled') return end('COMMIT')
      // Postgres silently rolls back on COMMIT of an aborted transaction: not a success.
      await end('ROLLBACK')
      throw first.status === 'rejected' ? first.reason : new EmbeddedDatabaseError(abortedTransaction)
    },
    rollback: async () => {
      if (!ended) await end('ROLLBACK')
    },
  }
}
