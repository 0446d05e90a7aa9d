import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely'
import type pg from 'pg'

export interface TimeLimits {
  /** 0 for none. */
  statementMs: number
  idleInTransactionMs: number
}

/** @returns the statement that begins a transaction and sets its time limits, in one message. */
function beginStatement({ statementMs, idleInTransactionMs }: TimeLimits, settings: TransactionSettings): string {
  const modes = [
    settings.isolationLevel === undefined ? [] : [`isolation level ${settings.isolationLevel}`],
    settings.accessMode === undefined ? [] : [settings.accessMode],
  ].flat()
  return `begin ${modes.join(' ')}; set local statement_timeout = ${statementMs}; set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`
}

/** Behind a pooler a connection has no settings of its own: they would stay for other clients, or be lost. */
class PooledDriver extends PostgresDriver {
  readonly #limits: TimeLimits

  constructor(pool: pg.Pool, limits: TimeLimits) {
    super({ pool })
    this.#limits = limits
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(beginStatement(this.#limits, settings)))
  }
}

/** The dialect for a pool behind a pooler such as PgBouncer in transaction mode: each transaction sets its time limits itself. */
export class PooledDialect extends PostgresDialect {
  readonly #pool: pg.Pool
  readonly #limits: TimeLimits

  constructor(pool: pg.Pool, limits: TimeLimits) {
    super({ pool })
    this.#pool = pool
    this.#limits = limits
  }

  override createDriver(): PostgresDriver {
    return new PooledDriver(this.#pool, this.#limits)
  }
}
