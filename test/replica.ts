import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'

export interface Replica {
  /** What its processes logged. */
  log(): string
  url(database: string): string
  /** Stops replaying, so that it falls behind, and goes on with it. */
  pauseReplay(): Promise<void>
  resumeReplay(): Promise<void>
  /** Stops or continues its processes, as a machine that stands still. */
  freeze(): void
  thaw(): void
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>
  /** Starts it again after `kill`. */
  start(): Promise<void>
  stop(): Promise<void>
}

async function query<Row>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(statement).finally(() => client.end())
  return rows as Row[]
}

/** Copies the files of a running primary by its backup mode, as `pg_basebackup` does. */
async function copyPrimary(url: string, directory: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: settings } = await client.query<{ data_directory: string }>('show data_directory')
    await client.query("select pg_backup_start('replica', true)")
    // Files that vanish meanwhile are replayed; cp reports them.
    spawnSync('cp', ['-a', settings[0]?.data_directory ?? '', directory], { stdio: 'ignore' })
    const { rows } = await client.query<{ label: string }>('select labelfile as label from pg_backup_stop(false)')
    rmSync(join(directory, 'postmaster.pid'), { force: true })
    writeFileSync(join(directory, 'backup_label'), rows[0]?.label ?? '')
    writeFileSync(join(directory, 'standby.signal'), '')
  } finally {
    await client.end()
  }
}

/** The user that owns the files: Postgres does not run as root. */
function ownerOf(directory: string): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {}
  const [uid, gid] = execFileSync('stat', ['-c', '%u %g', directory], { encoding: 'utf8' })
    .trim()
    .split(' ')
    .map(Number)
  for (const name of ['backup_label', 'standby.signal']) execFileSync('chown', [`${uid}:${gid}`, join(directory, name)])
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

/**
 * Starts a streaming replica of a primary.
 * @param primaryUrl of any database of the primary, as its superuser.
 */
export async function startReplica(primaryUrl: string): Promise<Replica> {
  const scratch = mkdtempSync(join(tmpdir(), 'wishwell-replica-'))
  chmodSync(scratch, 0o755)
  const directory = join(scratch, 'data')
  const [{ setting: binaries } = { setting: '' }] = await query<{ setting: string }>(
    primaryUrl,
    "select setting from pg_config where name = 'BINDIR'",
  )
  await copyPrimary(primaryUrl, directory)
  const owner = ownerOf(directory)
  const port = await freePort()
  const { hostname, port: primaryPort, username, password } = new URL(primaryUrl)
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'max_connections=200',
    `primary_conninfo=host=${hostname} port=${primaryPort} user=${username} password=${password}`,
  ].flatMap((setting) => ['-c', setting])
  const url = (database: string) => `postgresql://${username}:${password}@127.0.0.1:${port}/${database}`
  let child: ChildProcess
  let log = ''
  const start = async () => {
    const environment = { ...process.env, LC_ALL: 'C' }
    child = spawn(join(binaries, 'postgres'), ['-D', directory, ...settings], {
      ...owner,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr?.on('data', (text) => {
      log += String(text)
    })
    for (;;) {
      try {
        await query(url('postgres'), 'select 1')
        return
      } catch {
        if (child.exitCode !== null) throw new Error(`the replica ended with ${child.exitCode}: ${log}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const signalAll = (signal: NodeJS.Signals) => {
    if (hasEnded()) return
    const { stdout: children } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' })
    for (const pid of [String(child.pid), ...children.trim().split(/\s+/)]) {
      try {
        process.kill(Number(pid), signal)
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  const kill = async () => {
    if (hasEnded()) return
    const exited = once(child, 'exit')
    signalAll('SIGKILL')
    await exited
  }
  await start()
  return {
    url,
    pauseReplay: async () => void (await query(url('postgres'), 'select pg_wal_replay_pause()')),
    resumeReplay: async () => void (await query(url('postgres'), 'select pg_wal_replay_resume()')),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    log: () => log,
    kill,
    start: async () => {
      rmSync(join(directory, 'postmaster.pid'), { force: true })
      await start()
    },
    stop: async () => {
      await kill()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
