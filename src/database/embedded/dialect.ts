import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PGliteAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { EmbeddedClient, OpenTransaction, Queryable } from './client.ts'

// Kysely's PGlite dialect waits for each answer while the database thread idles. Here each call has its own connection,
// ordered and isolated by the client (`exclusive-lock.ts`).

class EmbeddedConnection implements DatabaseConnection {
  readonly #client: EmbeddedClient
  #transaction: OpenTransaction | null = null

  constructor(client: EmbeddedClient) {
    this.#client = client
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const queries: Queryable = this.#transaction ?? this.#client
    const { rows, affectedRows } = await queries.query<R>(text, [...parameters]).catch((error: Error) => {
      // Adds the call's stack; the error has only the answer's.
      error.stack = `${error.stack}\n${new Error('called').stack?.split('\n').slice(1).join('\n')}`
      throw error
    })
    return affectedRows === undefined ? { rows } : { rows, numAffectedRows: BigInt(affectedRows) }
  }

  // biome-ignore lint/correctness/useYield: there is nothing to stream.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('The embedded database does not stream.')
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#client.begin()
  }

  async commit(): Promise<void> {
    const transaction = this.#transaction
    this.#transaction = null
    await transaction?.commit()
  }

  async rollback(): Promise<void> {
    const transaction = this.#transaction
    this.#transaction = null
    await transaction?.rollback()
  }
}

class EmbeddedDriver implements Driver {
  readonly #client: EmbeddedClient

  constructor(client: EmbeddedClient) {
    this.#client = client
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<EmbeddedConnection> {
    return new EmbeddedConnection(this.#client)
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction(connection: EmbeddedConnection): Promise<void> {
    return connection.begin()
  }

  commitTransaction(connection: EmbeddedConnection): Promise<void> {
    return connection.commit()
  }

  rollbackTransaction(connection: EmbeddedConnection): Promise<void> {
    return connection.rollback()
  }

  destroy(): Promise<void> {
    return this.#client.close()
  }
}

class EmbeddedAdapter extends PGliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Kysely's dialect for the embedded database. */
export const embeddedDialect = (client: EmbeddedClient): Dialect => ({
  createAdapter: () => new EmbeddedAdapter(),
  createDriver: () => new EmbeddedDriver(client),
  createIntrospector: (database) => new PostgresIntrospector(database),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})
