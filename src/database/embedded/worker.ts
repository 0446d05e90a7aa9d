import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch'
import { describeError, type WorkerRequest, type WorkerResponse } from './protocol.ts'

// The thread that PGlite runs in: WebAssembly blocks its thread for as long as a query takes, and the HTTP event loop
// must never be that thread. It has the least to do besides: messages and answers are made and read by the main thread.

const port = parentPort
if (port === null) throw new Error('worker.ts runs only as a worker thread')

/** What WebAssembly throws when it aborts; an error of a statement never has these names. */
const wasmFaults = new Set(['RuntimeError', 'ExitStatus'])

/** @param owned what is handed over, and not copied. */
const reply = (response: WorkerResponse, owned: ArrayBuffer[] = []) => port.postMessage(response, owned)

async function handle(database: PGlite, request: WorkerRequest): Promise<Uint8Array<ArrayBuffer>> {
  if (request.operation === 'send') {
    return (await database.execProtocolRaw(request.message)) as Uint8Array<ArrayBuffer>
  }
  await database.close()
  return new Uint8Array()
}

try {
  const { directory } = workerData as { directory: string }
  const database = await PGlite.create(directory, { extensions: { pg_textsearch } })
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
