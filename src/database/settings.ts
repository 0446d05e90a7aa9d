import { type Static, Type } from 'typebox'

const postgresAddress = '^postgres(ql)?://'

/** The environment variables of the database: part of the schema in `config.ts`, which alone reads them. */
export const databaseVariables = {
  DATA_DIR: Type.String({
    minLength: 1,
    default: './data',
    description: 'the embedded database, its lock and the admin key',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({ pattern: postgresAddress, description: 'a Postgres 15 or later instead of the embedded database' }),
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

const schema = Type.Object(databaseVariables)

export type DatabaseEnvironment = Static<typeof schema>

export interface DatabaseConfig {
  dataDir: string
  /** Undefined for the embedded database. */
  databaseUrl: string | undefined
  databasePoolSize: number
  databaseQueuePoolSize: number
}

/** Interprets the variables of the database. */
export const readDatabaseConfig = (environment: DatabaseEnvironment): DatabaseConfig => ({
  dataDir: environment.DATA_DIR,
  databaseUrl: environment.DATABASE_URL,
  databasePoolSize: environment.DATABASE_POOL_SIZE,
  databaseQueuePoolSize: environment.DATABASE_QUEUE_POOL_SIZE,
})
