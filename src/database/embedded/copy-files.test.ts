import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Queryable } from './client.ts'
import { copyAhead, copyRemainder } from './copy-files.ts'

// Takes seconds: a file is copied ahead only when it has not changed for two seconds.

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'wishwell-copy-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const segment = (number: number) => `pg_wal/${'0'.repeat(22)}${number.toString(16).padStart(2, '0').toUpperCase()}`
const nameOf = (path: string) => path.split('/')[1] ?? ''

/** A database that reports the first and the last segment of its log. */
const queriesOf = (first: number, last: number): Queryable => ({
  query: async <T>() => ({ rows: [{ first: nameOf(segment(first)), last: nameOf(segment(last)) }] as T[], fields: [] }),
})

function write(from: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(from, path, '..'), { recursive: true })
    writeFileSync(join(from, path), content)
  }
}

function read(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]))
}

describe('the copy of a database directory', () => {
  it('equals the database at the last moment, whatever changed since the first pass', async () => {
    const from = join(directory, 'database')
    write(from, { 'base/1/changed': 'old', 'base/1/same': 'same', 'base/1/gone': 'gone' })
    mkdirSync(join(from, 'pg_notify'))
    let pass = 0
    let to = ''
    const firstPass = async (settlingMs?: number) => {
      to = join(directory, `copy-${pass++}`)
      return copyAhead(from, to, settlingMs)
    }
    // A file that was just written may change again within the same tick.
    expect([...(await firstPass(600_000)).keys()]).toEqual([])
    const ahead = await vi.waitFor(async () => {
      const copied = await firstPass(0)
      expect(copied.size).toBe(3)
      return copied
    }, 30_000)

    // Of the same size, with its mtime set back: only its ctime differs.
    const { atime, mtime } = statSync(join(from, 'base/1/changed'))
    write(from, { 'base/1/changed': 'new', 'base/2/added': 'added' })
    utimesSync(join(from, 'base/1/changed'), atime, mtime)
    rmSync(join(from, 'base/1/gone'))
    await copyRemainder(queriesOf(1, 1), from, to, ahead)
    expect(read(to)).toEqual({ 'base/1/changed': 'new', 'base/1/same': 'same', 'base/2/added': 'added' })
    expect(readdirSync(to).sort()).toEqual(['base', 'pg_notify'])
  })

  it.each([
    [2, 3, [2, 3]],
    [2, 2, [2]],
    // At the end of a segment Postgres still reports the one before.
    [3, 2, [3]],
  ])('holds of the log what a start from the checkpoint reads: from %i to %i', async (first, last, expected) => {
    const from = join(directory, 'database')
    write(from, Object.fromEntries([1, 2, 3, 4].map((number) => [segment(number), `log ${number}`])))
    const to = join(directory, 'copy')
    await copyRemainder(queriesOf(first, last), from, to, await copyAhead(from, to))
    expect(Object.keys(read(to)).sort()).toEqual(expected.map(segment))
  })
})
