import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { create, extract, Header } from 'tar'
import { onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../database/open.ts'

/** A directory that ends with the test. */
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

/** The same of a data directory that nobody uses. */
export async function readDataDirectory(dataDir: string): Promise<Record<string, string[]>> {
  const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir, onCrash: () => {} })
  return readRows(database).finally(close)
}

/** What lies in a data directory, leaving out the lock's own files. */
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

/** A backup with a changed manifest, otherwise as it was. */
export async function changeManifest(
  archive: string,
  directory: string,
  change: (manifest: Record<string, unknown>) => unknown,
): Promise<string> {
  const unpacked = mkdtempSync(join(directory, 'unpacked-'))
  await extract({ file: archive, cwd: unpacked })
  const { default: manifest } = await import(join(unpacked, 'manifest.json'), { with: { type: 'json' } })
  writeFileSync(join(unpacked, 'manifest.json'), JSON.stringify(change({ ...manifest })))
  const file = join(directory, `${randomUUID()}.tar.gz`)
  await create({ file, cwd: unpacked, gzip: { level: 1 }, portable: true }, ['manifest.json', 'database'])
  return file
}
