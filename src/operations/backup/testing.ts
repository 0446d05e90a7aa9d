import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { create, extract, Header } from 'tar'
import { onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../database/open.ts'

/** A directory that is deleted after the test. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-backup-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Every row of every table of Wishwell, in one order. */
export async function readRows(database: Database): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(database)
  const content: Record<string, string[]> = {}
  for (const { name } of tables.rows) {
    const rows = sql<{ row: string }>`select t::text as row from ${sql.table(name)} t order by 1`
    content[name] = (await rows.execute(database)).rows.map(({ row }) => row)
  }
  return content
}

/** The same of a data directory that no process uses. */
export async function readDataDirectory(dataDir: string): Promise<Record<string, string[]>> {
  const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir, onCrash: () => {} })
  return readRows(database).finally(close)
}

/** The names in a data directory, without the files of the lock. */
export const listDataDirectory = (dataDir: string): string[] =>
  readdirSync(dataDir)
    .filter((name) => !name.startsWith('lock.db'))
    .sort()

export interface RawEntry {
  path: string
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'FIFO'
  linkpath?: string
  body?: string
  mode?: number
}

/** A tar.gz of exactly these entries, as no well-behaved program would write it. */
export function writeRawArchive(directory: string, entries: readonly RawEntry[]): string {
  const blocks = entries.flatMap(({ path, type = 'File', linkpath, body = '', mode = 0o644 }) => {
    const header = new Header({
      path,
      type,
      size: Buffer.byteLength(body),
      mode,
      ...(linkpath ? { linkpath } : {}),
    })
    const block = Buffer.alloc(512)
    header.encode(block)
    return [block, Buffer.from(body), Buffer.alloc((512 - (Buffer.byteLength(body) % 512)) % 512)]
  })
  const file = join(directory, `${randomUUID()}.tar.gz`)
  writeFileSync(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])))
  return file
}

type ChangeUnpacked = (unpacked: string, manifest: Record<string, unknown>) => unknown

/** @param change may change the unpacked files; gives the new manifest. */
async function repack(archive: string, directory: string, change: ChangeUnpacked): Promise<string> {
  const unpacked = mkdtempSync(join(directory, 'unpacked-'))
  await extract({ file: archive, cwd: unpacked })
  const { default: manifest } = await import(join(unpacked, 'manifest.json'), { with: { type: 'json' } })
  writeFileSync(join(unpacked, 'manifest.json'), JSON.stringify(change(unpacked, { ...manifest })))
  const file = join(directory, `${randomUUID()}.tar.gz`)
  await create({ file, cwd: unpacked, gzip: { level: 1 }, portable: true }, ['manifest.json', 'database'])
  return file
}

/** A copy of a backup with another manifest. */
export const changeManifest = (
  archive: string,
  directory: string,
  change: (manifest: Record<string, unknown>) => unknown,
): Promise<string> => repack(archive, directory, (_unpacked, manifest) => change(manifest))

/** A copy of a backup with the files of another database, and their sizes in the manifest. */
export const replaceDatabase = (archive: string, directory: string, database: string): Promise<string> =>
  repack(archive, directory, (unpacked, manifest) => {
    rmSync(join(unpacked, 'database'), { recursive: true })
    cpSync(database, join(unpacked, 'database'), { recursive: true })
    const files = readdirSync(database, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
    return { ...manifest, files: files.length, bytes }
  })
