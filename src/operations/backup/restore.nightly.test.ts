import { readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/service.ts'
import { startCommand } from '../../cli/command-testing.ts'
import { exitCodes } from '../../cli/exit-codes.ts'
import { openDatabase } from '../../database/open.ts'
import { schemaVersion } from '../../database/schema-version.ts'
import { version } from '../../runtime/version.ts'
import { inspectArchive, unpackArchive } from './archive.ts'
import { BackupError } from './backup-error.ts'
import { parseManifest } from './manifest.ts'
import {
  changeManifest,
  listDataDirectory,
  makeDirectory,
  type RawEntry,
  readDataDirectory,
  replaceDatabase,
  writeRawArchive,
} from './testing.ts'

const embedded = process.env.TEST_BACKEND === 'embedded'

const restore = (file: string, dataDir: string, ...more: string[]) =>
  startCommand(['admin', 'restore', file, ...more], { DATA_DIR: dataDir }).finished

const manifest = {
  format: 2,
  schemaVersion,
  wishwellVersion: version,
  createdAt: '2026-11-21T00:00:00.000Z',
  files: 1,
  bytes: 2,
  heldMs: 0,
  tables: { accounts: { rows: 0, checksum: '0' } },
}
const manifestEntry: RawEntry = { path: 'manifest.json', body: JSON.stringify(manifest) }
const versionEntry: RawEntry = { path: 'database/PG_VERSION', body: '18' }

describe('an archive', () => {
  it('is read whole, and only what a backup holds is accepted', async () => {
    const file = writeRawArchive(makeDirectory(), [
      manifestEntry,
      { path: 'database/', type: 'Directory' },
      versionEntry,
    ])
    expect(await inspectArchive(file)).toEqual(manifest)
  })

  it.each<[string, RawEntry[], RegExp]>([
    ['leads out of the directory', [manifestEntry, { path: 'database/../../evil', body: '18' }], /foreign name/],
    ['is absolute', [manifestEntry, { path: '/etc/passwd', body: '18' }], /foreign name/],
    ['is beside the database', [manifestEntry, versionEntry, { path: 'admin-key', body: 'x' }], /foreign name/],
    [
      'has a name that no disk takes',
      [manifestEntry, { path: `database/${'x'.repeat(110)}/${'y'.repeat(90)}`, body: '18' }],
      /foreign name/,
    ],
    ['is hidden', [manifestEntry, { path: 'database/.bashrc', body: '18' }], /foreign name/],
    ['has a backslash', [manifestEntry, { path: 'database/..\\evil', body: '18' }], /foreign name/],
    [
      'is a symbolic link',
      [manifestEntry, { path: 'database/a', type: 'SymbolicLink', linkpath: '/' }],
      /SymbolicLink/,
    ],
    [
      'is a hard link',
      [manifestEntry, { path: 'database/a', type: 'Link', linkpath: 'manifest.json' }],
      /holds a Link/,
    ],
    ['is a pipe', [manifestEntry, { path: 'database/a', type: 'FIFO' }], /holds a FIFO/],
    ['is there twice', [manifestEntry, versionEntry, versionEntry], /a file twice/],
    ['is missing', [manifestEntry, { path: 'database/x', body: '1' }], /incomplete/],
    ['that matters is missing', [manifestEntry, { path: 'database/x', body: '18' }], /holds no database/],
    ['is all, without a manifest', [versionEntry], /manifest cannot be read/],
  ])('of which a file %s is refused', async (_what, entries, message) => {
    await expect(inspectArchive(writeRawArchive(makeDirectory(), entries))).rejects.toThrow(message)
  })

  it.each([
    ['empty', Buffer.alloc(0), /incomplete|damaged/],
    ['text', Buffer.from('no archive at all'), /damaged, or not a backup/],
    ['a tar of nothing', gzipSync(Buffer.alloc(1024)), /not a backup/],
    ['something else that is compressed', gzipSync('x'.repeat(10_000)), /not a backup/],
  ])('that is %s is refused', async (_what, content, message) => {
    const file = join(makeDirectory(), 'wishwell.tar.gz')
    writeFileSync(file, content)
    await expect(inspectArchive(file)).rejects.toThrow(message)
  })

  it.each([
    ['a later format', { format: 3, wishwellVersion: version }, /newer Wishwell/],
    ['a later schema version', { schemaVersion: 21_000_101 }, /newer Wishwell/],
    [
      'the format of before version 1',
      { format: 1, schemaVersion: undefined },
      /older Wishwell.*cannot read: restore it with the version/,
    ],
    [
      'a later patch',
      { wishwellVersion: version.replace(/\d+$/, (patch) => String(Number(patch) + 1)) },
      /newer Wishwell/,
    ],
    ['a later major, with fewer digits', { wishwellVersion: '100.0.0' }, /newer Wishwell/],
    ['no counts', { tables: undefined }, /right form/],
    ['counts that are no numbers', { tables: { accounts: { rows: '1', checksum: '' } } }, /right form/],
    ['an unknown format', { format: 0 }, /right form/],
    ['a version with a terminal code', { format: 9, wishwellVersion: '9.0.0\x1b[31m' }, /newer Wishwell \(unknown/],
  ])('with %s is refused', (_what, change, message) => {
    expect(() => parseManifest(JSON.stringify({ ...manifest, ...change }))).toThrow(message)
  })

  it('of an earlier version is accepted', () => {
    expect(parseManifest(JSON.stringify({ ...manifest, wishwellVersion: '0.0.9' })).wishwellVersion).toBe('0.0.9')
  })
})

describe('an archive that is unpacked', () => {
  it('is readable by its owner only and has no special permissions, whatever its modes say', async () => {
    const directory = makeDirectory()
    const file = writeRawArchive(directory, [
      manifestEntry,
      { path: 'database/', type: 'Directory', mode: 0o7777 },
      { ...versionEntry, mode: 0o6777 },
      { path: 'database/base/', type: 'Directory', mode: 0o1777 },
      { path: 'database/base/1', mode: 0o4755 },
    ])
    await unpackArchive(file, directory)
    const modeOf = (path: string) => statSync(join(directory, path)).mode & 0o7777
    expect(['database', 'database/PG_VERSION', 'database/base', 'database/base/1'].map(modeOf)).toEqual([
      0o700, 0o600, 0o700, 0o600,
    ])
  })

  it('fails with a clear message when a name is too long for the disk', async () => {
    const missing = join(makeDirectory(), 'x'.repeat(300))
    await expect(inspectArchive(missing)).rejects.toThrow(BackupError)
    await expect(inspectArchive(missing)).rejects.toThrow('is too long')
    const file = writeRawArchive(makeDirectory(), [manifestEntry, versionEntry])
    await expect(unpackArchive(file, missing)).rejects.toThrow(BackupError)
  })
})

describe.runIf(embedded)('wishwell admin restore', () => {
  let service: TestService
  let directory: string
  let file: string
  beforeAll(async () => {
    service = await startTestService({ ownDatabase: true })
    await service.createAccount('free')
    directory = service.config.dataDir
    file = join(directory, 'a-backup.tar.gz')
    const headers = { authorization: `Bearer ${service.adminKey}` }
    const answer = await fetch(`${service.url}/api/admin/backup`, { headers })
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
  })
  afterAll(() => service.stop())

  it('changes nothing in a data directory that a service uses', async () => {
    // The service may still be deleting the copy that its backup was packed from.
    const listed = () => listDataDirectory(directory).filter((name) => !name.startsWith('.wishwell-work-'))
    const before = listed()
    const { exitCode, stderr } = await restore(file, directory, '--yes')
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toContain('Another Wishwell process is using the data directory')
    expect(listed()).toEqual(before)
    expect((await service.client.search('a')).status).toBe(200)
  })

  it('replaces the database with the backup, and leaves the old one and the admin key', {
    timeout: 60_000,
  }, async () => {
    const dataDir = join(makeDirectory(), 'data')
    expect((await restore(file, dataDir, '--yes')).stdout).toContain(
      `No backup holds admin-key and secrets-key: copy what you kept to ${dataDir} before the service starts.`,
    )
    writeFileSync(join(dataDir, 'admin-key'), 'the-admin-key-of-this-directory')
    const environment = { DATA_DIR: dataDir, WISHWELL_URL: 'http://127.0.0.1:2' }
    await startCommand(['admin', 'accounts', 'create', 'since the backup'], environment).finished
    const before = await readDataDirectory(dataDir)
    const { stdout } = await restore(file, dataDir, '--yes', '--json')
    const { previous, tables } = JSON.parse(stdout)
    expect(tables.accounts.rows).toBe(2)
    expect(listDataDirectory(dataDir)).toEqual([
      'admin-key',
      'database',
      previous.slice(dataDir.length + 1),
      'secrets-key',
    ])
    expect(previous).toMatch(/\/database\.before-restore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/)
    expect((await readDataDirectory(dataDir)).accounts).toHaveLength(2)
    expect(readFileSync(join(dataDir, 'admin-key'), 'utf8')).toBe('the-admin-key-of-this-directory')
    const elsewhere = makeDirectory()
    renameSync(previous, join(elsewhere, 'database'))
    expect(await readDataDirectory(elsewhere)).toEqual(before)
  })

  it('succeeds also when its output is not read', async () => {
    const dataDir = join(makeDirectory(), 'data')
    const command = startCommand(['admin', 'restore', file, '--yes'], { DATA_DIR: dataDir })
    command.stopReading('stdout')
    expect(await command.finished).toMatchObject({ exitCode: exitCodes.ok, stderr: '' })
    expect(listDataDirectory(dataDir)).toEqual(['database'])
  })

  it('does nothing without --yes when there is no terminal to ask', async () => {
    const dataDir = join(makeDirectory(), 'data')
    const { exitCode, stderr } = await restore(file, dataDir)
    expect(exitCode).toBe(exitCodes.usage)
    expect(stderr).toContain('add --yes')
    expect(listDataDirectory(join(dataDir, '..'))).toEqual([])
  })

  it.each([0.0001, 0.3, 0.9, 0.9999])('changes nothing when only %d of the file is there', async (part) => {
    const parent = makeDirectory()
    const cut = join(parent, 'cut.tar.gz')
    await copyFile(file, cut)
    truncateSync(cut, Math.floor(readFileSync(file).length * part))
    const { exitCode, stderr } = await restore(cut, join(parent, 'data'), '--yes')
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toContain('it is incomplete; it was cut off while it was written')
    expect(listDataDirectory(parent)).toEqual(['cut.tar.gz'])
  })

  it('changes nothing when a byte of the file has changed', async () => {
    const parent = makeDirectory()
    const changed = join(parent, 'changed.tar.gz')
    const bytes = readFileSync(file)
    const middle = Math.floor(bytes.length / 2)
    bytes[middle] = (bytes[middle] ?? 0) ^ 0xff
    writeFileSync(changed, bytes)
    const { exitCode, stderr } = await restore(changed, join(parent, 'data'), '--yes')
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toMatch(/damaged/)
    expect(listDataDirectory(parent)).toEqual(['changed.tar.gz'])
  })

  it('leaves the present database when the one in the backup differs from its manifest', {
    timeout: 60_000,
  }, async () => {
    const parent = makeDirectory()
    const dataDir = join(parent, 'data')
    await restore(file, dataDir, '--yes')
    const before = await readDataDirectory(dataDir)
    const other = await changeManifest(file, parent, (known) => ({
      ...known,
      tables: { ...(known.tables as object), accounts: { rows: 3, checksum: '0' } },
    }))
    const { exitCode, stderr } = await restore(other, dataDir, '--yes')
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toContain('Its database differs from its manifest in accounts.')
    expect(listDataDirectory(dataDir)).toEqual(['database'])
    expect(await readDataDirectory(dataDir)).toEqual(before)
  })

  it('leaves the present database when the one in the backup does not start', async () => {
    const parent = makeDirectory()
    const dataDir = join(parent, 'data')
    const broken = writeRawArchive(parent, [manifestEntry, { path: 'database/', type: 'Directory' }, versionEntry])
    const { exitCode, stderr } = await restore(broken, dataDir, '--yes')
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toContain('Its database does not start')
    expect(listDataDirectory(dataDir)).toEqual([])
  })

  it.each([
    [
      'an older version',
      { format: 1, schemaVersion: undefined },
      /made by an older Wishwell.*restore it with the version/,
    ],
    ['a newer version', { schemaVersion: 21_000_101 }, /made by a newer Wishwell.*Update this one/],
  ])('refuses the backup of %s in one sentence and changes nothing', async (_what, change, message) => {
    const parent = makeDirectory()
    const dataDir = join(parent, 'data')
    const other = await changeManifest(file, parent, (known) => ({ ...known, ...change }))
    const { exitCode, stderr } = await restore(other, dataDir, '--yes')
    expect(exitCode).toBe(exitCodes.failed)
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(listDataDirectory(parent)).not.toContain('data')
  })

  it('refuses a backup whose database has the migrations of a newer version, whatever its manifest says', {
    timeout: 60_000,
  }, async () => {
    const parent = makeDirectory()
    const newer = join(parent, 'newer')
    await restore(file, newer, '--yes')
    const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir: newer, onCrash: () => {} })
    await sql`insert into kysely_migration values ('002-of-a-later-version', now())`.execute(database).finally(close)
    const archive = await replaceDatabase(file, parent, join(newer, 'database'))
    const { exitCode, stderr } = await restore(archive, join(parent, 'data'), '--yes')
    expect([exitCode, stderr]).toEqual([
      exitCodes.failed,
      'wishwell: Its database was made by a newer Wishwell, whose tables this version cannot read: restore it with that version.\n',
    ])
    expect(listDataDirectory(join(parent, 'data'))).toEqual([])
  })

  it('reports a file that does not exist', async () => {
    const { exitCode, stderr } = await restore('/nonexistent/backup.tar.gz', makeDirectory(), '--yes')
    expect([exitCode, stderr]).toEqual([
      exitCodes.failed,
      'wishwell: /nonexistent/backup.tar.gz: there is no such file.\n',
    ])
  })
})
