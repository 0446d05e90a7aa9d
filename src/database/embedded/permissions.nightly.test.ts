import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { loadAdminKey } from '../../accounts/admin-key.ts'
import { startCommand } from '../../cli/command-testing.ts'
import { createBackups } from '../../operations/backup/backup.ts'
import { systemClock } from '../../runtime/clock.ts'
import { type OpenDatabase, openDatabase } from '../open.ts'
import { installDatabase, makeWorkDirectory } from './data-directory.ts'
import { DataDirectoryError } from './data-directory-error.ts'

// Holds (Data): no other user reads or writes anything in a data directory

/** `nobody` and `nogroup`. */
const otherUser = 65_534
const isRoot = process.geteuid?.() === 0
if (!isRoot) console.log('not root: only the modes are checked, without the accesses of another user')

let parent: string
let dataDir: string
let umask: number
beforeEach(() => {
  umask = process.umask(0)
  parent = mkdtempSync(join(tmpdir(), 'wishwell-permissions-'))
  chmodSync(parent, 0o755)
  dataDir = join(parent, 'data')
})
afterEach(() => {
  process.umask(umask)
  rmSync(parent, { recursive: true, force: true })
})

/** Really opens for reading and for writing, as another user, and says what worked. No process is started for it. */
const attack = `while IFS= read -r path; do
  if [ -d "$path" ]; then
    set -- "$path"/*; [ -e "$1" ] && echo "listed $path"
    true 2>/dev/null >"$path/planted" && echo "planted in $path"
  else
    true 2>/dev/null <"$path" && echo "read $path"
    true 2>/dev/null >>"$path" && echo "wrote $path"
  fi
done; true`

const everyPath = () => {
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true })
  return [dataDir, ...entries.map(({ parentPath, name }) => join(parentPath, name))]
}

/** What another user could do in the data directory: nothing, if all is well. */
function trespass(): string[] {
  const paths = everyPath()
  if (!isRoot) {
    const isOpen = (path: string) => (lstatSync(path).mode & 0o077) !== 0
    // Behind a closed directory nothing is open.
    return isOpen(dataDir) ? paths.filter((path) => join(path, '..') === dataDir && isOpen(path)) : []
  }
  const attempt = spawnSync('/bin/sh', ['-c', attack], {
    uid: otherUser,
    gid: otherUser,
    input: `${paths.join('\n')}\n`,
    encoding: 'utf8',
    env: {},
  })
  expect(attempt.status).toBe(0)
  return attempt.stdout.split('\n').filter((line) => line !== '')
}

const open = () =>
  openDatabase({
    databaseUrl: undefined,
    dataDir,
    onCrash: (error) => {
      throw error
    },
  })

function copyTemplate(): void {
  const template = inject('databaseTemplate')
  if (template.backend !== 'embedded') throw new Error('not the embedded database')
  cpSync(template.directory, dataDir, { recursive: true })
}

/** As PGlite and a careless operator leave them. */
function openToAll(directoryMode: number): void {
  for (const path of everyPath()) chmodSync(path, statSync(path).isDirectory() ? 0o777 : 0o666)
  chmodSync(dataDir, directoryMode)
}

/** Enough that tables grow and the log goes on to new files. */
async function write({ database }: OpenDatabase): Promise<void> {
  await sql`create table if not exists trespassed (text text)`.execute(database)
  await sql`insert into trespassed select repeat(n::text, 100) from generate_series(1, 10000) as n`.execute(database)
  await sql`select pg_switch_wal()`.execute(database)
  await sql`insert into trespassed values ('after the switch')`.execute(database)
  await sql`checkpoint`.execute(database)
}

/** Whatever makes files, with a look at all of them after each step and in the middle of a backup. */
async function useAndTrespass(): Promise<string[]> {
  const opened = await open()
  loadAdminKey({ adminApiKey: undefined, databaseUrl: undefined, dataDir })
  const found = trespass()
  await write(opened)
  found.push(...trespass())
  const log = pino({ level: 'silent' })
  const backups = createBackups({ embedded: opened.embedded, dataDir, clock: systemClock, log })
  const backup = await backups.create()
  expect(readdirSync(dataDir).some((name) => name.startsWith('.wishwell-work-'))).toBe(true)
  found.push(...trespass())
  await text(backup)
  await backups.stop()
  await opened.close()
  return [...found, ...trespass()]
}

describe('a data directory', { timeout: 180_000 }, () => {
  it('that is new is closed to all other users, whatever the umask', async () => {
    expect(await useAndTrespass()).toEqual([])
    expect(statSync(dataDir).mode & 0o7777).toBe(0o700)
  })

  it.each([0o755, 0o777, 0o1777])('that was made with mode %o before is closed at the start', async (mode) => {
    copyTemplate()
    openToAll(mode)
    if (isRoot) {
      const open = trespass()
      expect(open).toContain(`wrote ${join(dataDir, 'database/PG_VERSION')}`)
      for (const line of open) if (line.startsWith('planted in ')) rmSync(join(line.slice(11), 'planted'))
    }
    expect(await useAndTrespass()).toEqual([])
    expect(statSync(dataDir).mode & 0o7777).toBe(0o700)
  })

  it('with other files in it keeps its mode, and only the files of Wishwell are closed', async () => {
    copyTemplate()
    writeFileSync(join(dataDir, 'notes.txt'), 'of the operator')
    openToAll(0o755)
    chmodSync(join(dataDir, 'notes.txt'), 0o600)
    const isExpected = (line: string) => line === `listed ${dataDir}`
    expect((await useAndTrespass()).filter((line) => !isExpected(line))).toEqual([])
    expect(statSync(dataDir).mode & 0o7777).toBe(0o755)
  })

  it('with other files in it that other users may write in is refused, unchanged', async () => {
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'notes.txt'), 'of the operator')
    chmodSync(dataDir, 0o1777)
    await expect(open()).rejects.toThrow(/can be written by other users and holds more .* \("notes.txt"\)/)
    expect(readdirSync(dataDir)).toEqual(['notes.txt'])
    expect(statSync(dataDir).mode & 0o7777).toBe(0o1777)
  })

  it('is closed also in what a restore installs and leaves', async () => {
    copyTemplate()
    openToAll(0o777)
    const file = join(parent, 'backup.tar.gz')
    const environment = { DATA_DIR: dataDir, WISHWELL_URL: 'http://127.0.0.1:2' }
    expect(await startCommand(['admin', 'backup', file], environment).finished).toMatchObject({ exitCode: 0 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await startCommand(['admin', 'restore', file, '--yes'], environment).finished).toMatchObject({ exitCode: 0 })
    expect(readdirSync(dataDir).filter((name) => name.startsWith('database'))).toHaveLength(2)
    expect(trespass()).toEqual([])
  })

  it('closes a database from before a restore at the next start', async () => {
    copyTemplate()
    const work = makeWorkDirectory(dataDir)
    cpSync(join(dataDir, 'database'), join(work, 'database'), { recursive: true })
    installDatabase(dataDir, join(work, 'database'), new Date(0))
    openToAll(0o755)
    await (await open()).close()
    expect(trespass()).toEqual([])
    const previous = join(dataDir, 'database.before-restore-1970-01-01T00-00-00.000Z')
    expect(statSync(previous).mode & 0o7777).toBe(0o700)
  })

  it.runIf(isRoot)('of another user is refused, and so is one with a file of another user', async () => {
    mkdirSync(dataDir, { mode: 0o755 })
    chownSync(dataDir, otherUser, otherUser)
    await expect(open()).rejects.toThrow(/data belongs to another user \(uid 65534; this process runs as uid 0\)/)
    expect(readdirSync(dataDir)).toEqual([])
    chownSync(dataDir, 0, 0)
    for (const name of ['database', 'lock.db', 'admin-key']) {
      symlinkSync(parent, join(dataDir, name))
      spawnSync('chown', ['-h', String(otherUser), join(dataDir, name)])
      await expect(open()).rejects.toThrow(`${join(dataDir, name)} belongs to another user`)
      rmSync(join(dataDir, name))
    }
  })

  it('takes no admin key that is not a plain file', () => {
    mkdirSync(dataDir, { mode: 0o700 })
    writeFileSync(join(parent, 'elsewhere'), 'an-admin-key-of-somebody-else')
    symlinkSync(join(parent, 'elsewhere'), join(dataDir, 'admin-key'))
    const load = () => loadAdminKey({ adminApiKey: undefined, databaseUrl: undefined, dataDir })
    expect(load).toThrow(DataDirectoryError)
    rmSync(join(dataDir, 'admin-key'))
    expect(load().key).toMatch(/^ww_admin_/)
    if (!isRoot) return
    chownSync(join(dataDir, 'admin-key'), otherUser, otherUser)
    expect(load).toThrow(/is not a plain file of the user/)
  })
})
