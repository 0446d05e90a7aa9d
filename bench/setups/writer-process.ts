import { setTimeout as sleep } from 'node:timers/promises'
import { openBenchDatabase } from '../bench-database.ts'
import { createLoader } from '../engines/load.ts'
import { random, text } from '../upkeep-requests.ts'
import { writerPrefix } from './own-requests.ts'

// A writer in a process of its own: stores pages of new requests until it is disconnected.
//   node bench/setups/writer-process.ts DATABASE_URL REQUESTS_A_SECOND

const pageSize = 100
const [databaseUrl, wanted] = process.argv.slice(2)
const pageMs = (1_000 * pageSize) / Number(wanted)

const { database, close } = await openBenchDatabase({ databaseUrl })
const store = await createLoader(database)
let [stored, isStopping] = [0, false]
const page = () =>
  Array.from({ length: pageSize }, () => ({
    id: `${writerPrefix}${stored++}`,
    title: text(8),
    description: text(90),
    votes: Math.floor(random() * 500),
    topic: 'written meanwhile',
  }))

process.on('disconnect', () => {
  isStopping = true
})
process.on('message', () => process.send?.(stored))
process.send?.(stored)
const since = performance.now()
for (let pages = 0; !isStopping; pages++) {
  await sleep(Math.max(0, since + pages * pageMs - performance.now()))
  await store(page())
}
await close()
