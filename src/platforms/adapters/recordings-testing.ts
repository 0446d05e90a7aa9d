import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { startServer } from './testing.ts'

// For tests of adapters against recorded answers, which are not part of the repository.

const shared = process.env.WISHWELL_SHARED ?? resolve(import.meta.dirname, '../../../../shared')
const recorded = join(shared, 'recorded')
/** A second collection, with the answers that reading again, discussions and statuses need. */
const recordedLater = join(shared, 'recorded-2')
export const isPresent = existsSync(recorded)
if (!isPresent) console.log(`skipped: no recordings in ${recorded} (set WISHWELL_SHARED to the folder that holds them)`)

// biome-ignore lint/suspicious/noExplicitAny: a recording has whatever its platform sent.
export type Raw = any

export interface Recording {
  name: string
  status: number
  headers: Record<string, string>
  bytes: Buffer
}

/** The recordings whose bodies a test has read. */
const readFiles = new Set<string>()

/** The names of a platform's recordings that no test before has read: for the last test of the file that reads them. */
export function unreadRecordings(platform: string): string[] {
  return [join(recorded, platform), join(recordedLater, platform)].flatMap((folder) =>
    recordingsIn(folder)
      .map(({ name }) => name)
      .filter((name) => !readFiles.has(join(folder, name))),
  )
}

export function recordingsOf(platform: string): Recording[] {
  return recordingsIn(join(recorded, platform))
}

export function laterRecordingsOf(platform: string): Recording[] {
  return recordingsIn(join(recordedLater, platform))
}

function recordingsIn(folder: string): Recording[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => /\.(json|html|xml)$/.test(name) && !name.endsWith('.headers.json'))
  return names.sort().map((name) => {
    const headersFile = join(folder, name.replace(/\.\w+$/, '.headers.json'))
    const wire = existsSync(headersFile) ? JSON.parse(readFileSync(headersFile, 'utf8')) : {}
    // The second collection has the headers alone.
    const { status: line, ...alone } = wire
    const status = typeof line === 'number' ? line : Number(/^error-(\d{3})-/.exec(name)?.[1] ?? 200)
    const file = join(folder, name)
    const bytes = readFileSync(file)
    return {
      name,
      status,
      headers: wire.headers ?? alone,
      get bytes() {
        // Outside a test a file only chooses its recordings.
        if (expect.getState().currentTestName !== undefined) readFiles.add(file)
        return bytes
      },
    }
  })
}

/** Serves a recording as received, without the headers that frame the body of the original connection. */
export async function serve({ status, headers, bytes }: Recording): Promise<string> {
  const framing = new Set(['content-length', 'connection', 'transfer-encoding', 'keep-alive'])
  const kept = Object.entries(headers).filter(([name]) => !framing.has(name.toLowerCase()))
  const isGzip = kept.some(([name, value]) => name.toLowerCase() === 'content-encoding' && value === 'gzip')
  const { baseUrl } = await startServer((response) => {
    response.writeHead(status, Object.fromEntries(kept))
    response.end(isGzip ? gzipSync(bytes) : bytes)
  })
  return baseUrl
}

export const decode = (html: string) =>
  html
    .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(Number(number)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
/** A title as it is shown. */
export const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
export const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? []
export const htmlWords = (html: string | null | undefined) => {
  const required = words(decode((html ?? '').replace(/<[^>]*>/g, ' ')))
  return { required, allowed: required }
}
/** In code a tag is text, elsewhere it is not: that is left open here. So are headings of sections without a text. */
export function markdownWords(markdown: string) {
  const text = markdown
    .replace(/\r\n?/g, '\n')
    .replace(/^#{2,6} .*\n\s*(?=#{1,6} )/gm, ' ')
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ')
    .replace(/^\s*```.*/gm, ' ')
    .replace(/<\/?(?:br|p|div|li|tr|td|details|summary|h\d)\b[^>]*>/g, ' ')
    .replace(/<\/?\w[^>]*>/g, '')
  return { required: words(decode(text)), allowed: words(decode(markdown)) }
}

export function isSubsequence(part: string[], whole: string[]): boolean {
  let found = 0
  for (const word of whole) if (word === part[found]) found += 1
  return found === part.length
}
