import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { csvHeader, toCsvRecord } from '../search/export/csv.ts'
import { runCommand } from './command-testing.ts'
import { exitCodes } from './exit-codes.ts'
import { type ExportFormat, readRecords } from './export-transfer.ts'
import { requestRecord } from './fake-service-testing.ts'

// Holds (Search, lists and export): an export equals its list or search, is complete or visibly broken, and can resume

/** Texts that make a reader of lines or of quotes stumble. */
const hostile = ['plain', 'two\nlines', 'a "quote", and\r\nmore', '日本語 🎉', "'=1", '\\n', '']
const records = Array.from({ length: 40 }, (_, index) => ({
  ...requestRecord({ _id: `id-${index}`, title: `Title ${index}`, description: hostile[index % hostile.length]! }),
  publicPages: 'texts' as const,
  cursor: `cursor-${index}`,
}))
const bodyOf = (format: ExportFormat, after: string | null): string => {
  const start = after === null ? 0 : records.findIndex(({ cursor }) => cursor === after) + 1
  const texts = records
    .slice(start)
    .map((record) => (format === 'csv' ? toCsvRecord(record) : `${JSON.stringify(record)}\n`))
  return (format === 'csv' && after === null ? csvHeader : '') + texts.join('')
}

/**
 * A service whose connections break after so many bytes, one number a call, -1 for a refusal; those after the last do not.
 * @param isRead whether a connection may break after what was sent: what its reader has not taken by then is lost to it.
 */
async function startBreakingService(
  breaks: number[],
  isRead: () => boolean = () => true,
): Promise<{ url: string; cursors: (string | null)[] }> {
  const cursors: (string | null)[] = []
  const server = createServer((request, response: ServerResponse) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://x')
    const cursor = searchParams.get('cursor')
    const body = Buffer.from(bodyOf(searchParams.get('format') as ExportFormat, cursor))
    const limit = breaks[cursors.length]
    cursors.push(cursor)
    if (limit === -1 || searchParams.get('topic') === 'refused') {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code: 'INVALID_REQUEST', message: 'topic: is refused.' } }))
      return
    }
    if (limit === undefined) response.end(body)
    else if (limit === 0) response.destroy()
    else {
      // What was written arrives; the end of the answer does not.
      response.write(body.subarray(0, limit))
      const breakOff = () => (isRead() ? response.socket?.end() : setTimeout(breakOff, 20))
      breakOff()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cursors }
}

function temporaryFile(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-export-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return join(directory, name)
}

async function all(chunks: ReturnType<typeof readRecords>) {
  const records = []
  for await (const some of chunks) records.push(...some)
  return records
}

describe('an export that arrives in pieces', () => {
  async function* pieces(text: string, size: number) {
    const bytes = Buffer.from(text)
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
  }

  it.each(['jsonl', 'csv'] as const)('is cut into whole records, wherever the pieces end: %s', async (format) => {
    for (const size of [1, 2, 3, 7, 64, 100_000]) {
      const got = await all(readRecords(format, pieces(bodyOf(format, null), size)))
      expect(got.map(({ text }) => text).join('')).toBe(bodyOf(format, null))
      const cursors = records.map(({ cursor }) => cursor)
      expect(got.map(({ cursor }) => cursor)).toEqual(format === 'csv' ? [null, ...cursors] : cursors)
    }
  })

  it.each(['jsonl', 'csv'] as const)('is not taken for whole when it ends within a record: %s', async (format) => {
    const body = bodyOf(format, null).slice(0, -5)
    await expect(all(readRecords(format, pieces(body, 50)))).rejects.toThrow('middle of a record')
  })
})

describe('wishwell export', () => {
  it.each(['jsonl', 'csv'] as const)(
    'goes on where the connection broke, with each record once: %s',
    async (format) => {
      const service = await startBreakingService([10, 4_000, 2_500])
      const file = temporaryFile(`export.${format}`)
      const { exitCode, stdout, stderr } = await runCommand(['export', '--format', format, '--out', file], service)
      expect(stderr).toContain(`Saved ${file}: 40 requests`)
      expect([exitCode, stdout]).toEqual([exitCodes.ok, ''])
      expect(readFileSync(file, 'utf8')).toBe(bodyOf(format, null))
      expect(service.cursors.length).toBe(4)
    },
  )

  it('writes complete records to stdout, and sends the given options', async () => {
    const service = await startBreakingService([])
    const { exitCode, stdout } = await runCommand(
      ['export', '--cursor', 'cursor-35', '--tag', 'a', '--tag', 'b'],
      service,
    )
    expect([exitCode, stdout]).toEqual([exitCodes.ok, bodyOf('jsonl', 'cursor-35')])
  })

  it('touches no file when the call is refused', async () => {
    const service = await startBreakingService([])
    const file = temporaryFile('export.jsonl')
    writeFileSync(file, 'as before')
    const { exitCode, stderr } = await runCommand(['export', '--topic', 'refused', '--out', file], service)
    expect([exitCode, stderr]).toEqual([exitCodes.usage, 'wishwell: --topic: is refused.\n'])
    expect(readFileSync(file, 'utf8')).toBe('as before')
  })

  it.runIf(existsSync('/dev/full'))(
    'replaces no file when the disk is full, be it only at the last write',
    async () => {
      const service = await startBreakingService([])
      const file = temporaryFile('export.jsonl')
      writeFileSync(file, 'as before')
      symlinkSync('/dev/full', `${file}.partial`)
      for (const cursor of ['cursor-38', 'cursor-0']) {
        const { exitCode, stderr } = await runCommand(['export', '--cursor', cursor, '--out', file], service)
        expect([exitCode, stderr]).toEqual([exitCodes.failed, expect.stringContaining('ENOSPC')])
        expect(stderr).toContain('Cannot write')
        expect(readFileSync(file, 'utf8')).toBe('as before')
      }
    },
  )

  it('stops at a later refusal, keeps the written records and says how to continue', async () => {
    const file = temporaryFile('export.csv')
    const isWritten = () =>
      existsSync(`${file}.partial`) && readFileSync(`${file}.partial`, 'utf8').includes('cursor-3')
    const service = await startBreakingService([4_000, -1], isWritten)
    const broken = await runCommand(['export', '--format', 'csv', '--out', file], service)
    expect([broken.exitCode, broken.stderr]).toEqual([exitCodes.failed, expect.stringContaining('topic: is refused.')])
    const cursor = /--cursor (\S+)/.exec(broken.stderr)?.[1] ?? ''
    expect(cursor).toMatch(/^cursor-\d+$/)
    const whole = await startBreakingService([])
    const again = await runCommand(['export', '--format', 'csv', '--out', file, '--cursor', cursor], whole)
    expect(again.exitCode).toBe(exitCodes.ok)
    expect(readFileSync(file, 'utf8')).toBe(bodyOf('csv', null))
  })
})
