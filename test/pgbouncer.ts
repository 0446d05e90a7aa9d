import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.ts'

export interface PgBouncer {
  /** The address of a database through it. */
  url(database: string): string
  /** Ends it as `kill -9` does, and starts it again at the same address. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Where PgBouncer is (Debian: `apt-get install pgbouncer`); null where it is not installed. */
export function findPgBouncer(): string | null {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  for (const directory of directories) {
    try {
      accessSync(join(directory, 'pgbouncer'), constants.X_OK)
      return join(directory, 'pgbouncer')
    } catch {
      // Not there.
    }
  }
  return null
}

const takesConnections = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => socket.end(() => resolve(true)))
    socket.once('error', () => resolve(false))
  })

/**
 * Starts PgBouncer in transaction mode in front of a Postgres.
 * @param poolSize its connections to Postgres for each database.
 */
export async function startPgBouncer(program: string, postgresUrl: string, poolSize = 5): Promise<PgBouncer> {
  const { hostname, port: postgresPort, username, password } = new URL(postgresUrl)
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-pgbouncer-'))
  // It refuses to run as root.
  chmodSync(directory, 0o755)
  const port = await freePort()
  const settings = join(directory, 'pgbouncer.ini')
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${postgresPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
server_reset_query_always = 0
`,
  )
  let child: ChildProcess
  const start = async () => {
    const asUser = userInfo().uid === 0 ? ['-u', 'nobody'] : []
    child = spawn(program, ['-q', ...asUser, settings], { stdio: 'ignore' })
    while (!(await takesConnections(port))) {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const kill = async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  await start()
  return {
    url: (database) => `postgresql://${username}:${password}@127.0.0.1:${port}/${database}`,
    restart: async () => {
      await kill()
      await start()
    },
    stop: async () => {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
