import { type Static, type TObject, Type } from 'typebox'
import type { Complain } from '../runtime/config-error.ts'

const postgresAddress = '^postgres(ql)?://'

/** The database's environment variables: part of the schema in `config.ts`, which alone reads them. */
export const databaseVariables = {
  DATA_DIR: Type.String({
    minLength: 1,
    default: './data',
    description:
      'the embedded database, its lock and the admin key; also with `DATABASE_URL`, files of feedback while they are imported',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: postgresAddress,
      description: 'a Postgres 15 or later instead of the embedded database',
      'x-kind': 'secret',
    }),
  ),
  DATABASE_LISTEN_URL: Type.Optional(
    Type.String({
      pattern: postgresAddress,
      'x-kind': 'secret',
      description:
        'the address of Postgres itself where `DATABASE_URL` is a pooler such as PgBouncer in transaction mode: for `LISTEN` and migrations',
    }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 2,
    maximum: 1_000,
    default: 10,
    description:
      'the maximum of connections to Postgres that a process opens for calls, jobs and background work ([operating.md](operating.md#connections))',
  }),
  DATABASE_QUEUE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 4,
    description: 'the maximum of connections to Postgres that a process opens for the queue of tasks',
  }),
}

export type DatabaseEnvironment = Static<TObject<typeof databaseVariables>>

export type DatabaseConfig = ReturnType<typeof readDatabaseConfig>

/** Reads the database's variables. @param complain called with the first invalid one */
export function readDatabaseConfig(environment: DatabaseEnvironment, complain: Complain<DatabaseEnvironment>) {
  if (environment.DATABASE_URL === undefined && environment.DATABASE_LISTEN_URL !== undefined) {
    complain('DATABASE_LISTEN_URL', 'is only for a Postgres that DATABASE_URL names.')
  }
  return {
    dataDir: environment.DATA_DIR,
    databaseUrl: environment.DATABASE_URL,
    databaseListenUrl: environment.DATABASE_LISTEN_URL,
    databasePoolSize: environment.DATABASE_POOL_SIZE,
    databaseQueuePoolSize: environment.DATABASE_QUEUE_POOL_SIZE,
  }
}
