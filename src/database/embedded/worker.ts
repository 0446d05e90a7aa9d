import { parentPort, workerData } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { describeError, joinBytes, type WorkerRequest, type WorkerResponse } from './messages.ts'
import { openPglite } from './pglite.ts'

// A thread for PGlite, so that queries never block HTTP. The main thread, less busy, encodes and decodes messages.

const port = parentPort
if (port === null) throw new Error('worker.ts runs only as a worker thread')

/** What WebAssembly throws when it aborts; statement errors never have these names. */
const wasmFaults = new Set(['RuntimeError', 'ExitStatus'])

/** @param owned is transferred, not copied */
const reply = (response: WorkerResponse, owned: ArrayBuffer[] = []) => port.postMessage(response, owned)

/** The raw answer. `execProtocolRaw` would parse and leak it (PGlite 0.5.14); the two cannot be mixed. */
async function answerOf(database: PGlite, message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  // Each part is a view of the database's memory.
  await database.execProtocolRawStream(message, { onRawData: (part) => void parts.push(part.slice()) })
  return joinBytes(parts)
}

async function handle(database: PGlite, request: WorkerRequest): Promise<Uint8Array<ArrayBuffer>> {
  if (request.operation === 'send') return answerOf(database, request.message)
  await database.close()
  return new Uint8Array(0)
}

try {
  const { directory } = workerData as { directory: string }
  const database = await openPglite(directory)
  let previous: Promise<void> = Promise.resolve()
  port.on('message', (request: WorkerRequest) => {
    previous = previous.then(async () => {
      try {
        const answer = await handle(database, request)
        reply({ type: 'answer', id: request.id, answer }, [answer.buffer])
      } catch (error) {
        const description = describeError(error)
        const isFault = error instanceof Error && wasmFaults.has(error.name)
        reply(isFault ? { type: 'broken', error: description } : { type: 'error', id: request.id, error: description })
      }
      if (request.operation === 'close') port.close()
    })
  })
  reply({ type: 'ready' })
} catch (error) {
  reply({ type: 'failed', error: describeError(error) })
  port.close()
}
