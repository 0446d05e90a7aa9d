import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { seededRandom } from '../scripts/detection/random.ts'
import { checkFile, openFile, readRequests } from '../src/feedback/file.ts'
import { deleteImport } from '../src/feedback/imports.ts'
import { importName } from '../src/feedback/names.ts'
import { storeAsks } from '../src/feedback/store.ts'
import { createTextWriting } from '../src/requests/store/unwritten-texts.ts'
import { inMemory } from '../src/runtime/foreign/testing.ts'
import { openBenchDatabase } from './bench-database.ts'
import { positive } from './options.ts'

// What an import of a file costs, by the clock, and the memory that it takes beyond that of the idle process: checked, stored, stored again with a tenth
// of its rows changed, and deleted. Run it on a machine without other work.
//   node bench/imports.ts [--rows 100000] [--database-url postgres://…]

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, 'database-url': { type: 'string' } },
})
const rows = positive(values, 'rows')
const { database, close } = await openBenchDatabase({ databaseUrl: values['database-url'] })
const { rows: accounts } = await sql<{ id: string }>`
  insert into accounts (name, tier, created_at) values ('bench', 'max', now()) returning id`.execute(database)
const accountId = accounts[0]!.id
const name = importName(accountId, 'bench')
const writing = createTextWriting(database, { error: console.error })

const random = seededRandom(40)
const words = Array.from({ length: 5_000 }, (_, number) => `w${number.toString(36)}`)
const text = (length: number) => Array.from({ length }, () => words[Math.floor(random() ** 2 * words.length)]).join(' ')
const csvOf = (isChanged: boolean, texts: readonly string[]) =>
  Buffer.from(
    [
      'id,title,text,votes,author,created',
      ...texts.map((one, id) => `${id},${one},${isChanged && id % 10 === 0 ? id : 1},person ${id % 20_000},2026-01-02`),
    ].join('\n'),
  )
const texts = Array.from({ length: rows }, () => `Please add ${text(5)},"It would be great to have ${text(50)}"`)

let idle = process.memoryUsage.rss()
let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 20).unref()

async function timed<T>(what: string, run: () => Promise<T>): Promise<T> {
  globalThis.gc?.()
  idle = process.memoryUsage.rss()
  peak = idle
  const begin = performance.now()
  const result = await run()
  const seconds = ((performance.now() - begin) / 1_000).toFixed(1)
  console.log(
    `${what.padEnd(28)} ${seconds.padStart(7)} s ${((peak - idle) / 2 ** 20).toFixed(0).padStart(6)} MiB  ${JSON.stringify(result)}`,
  )
  return result
}

async function importCsv(what: string, bytes: Buffer): Promise<void> {
  const file = await openFile({ file: inMemory(bytes), name, given: {} })
  const { asks } = await timed(`${what}: checked`, async () => {
    const { sample: _sample, ...checked } = await checkFile(file)
    return checked
  })
  const options = { accountId, name, count: asks, now: new Date(), signal: new AbortController().signal }
  await timed(`${what}: stored`, () => storeAsks({ database, texts: writing }, readRequests(file), options))
  await timed(`${what}: found by words`, () => writing.run())
}

await importCsv('first', csvOf(false, texts))
await importCsv('again', csvOf(true, texts))
const { rows: stored } = await sql<{ count: number }>`select count(*)::integer as count from requests`.execute(database)
console.log(`${stored[0]!.count} rows are stored`)
await timed('deleted', () => deleteImport(database, name, new AbortController().signal))
await close()
