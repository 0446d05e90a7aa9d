import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type Results } from '@electric-sql/pglite'
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch'
import {
  errorFields,
  type WorkerError,
  type WorkerRequest,
  type WorkerResponse,
  type WorkerResult,
} from './protocol.ts'

// The thread that PGlite runs in: WebAssembly blocks its thread for as long as a query takes, and the HTTP event loop
// must never be that thread.

const port = parentPort
if (port === null) throw new Error('worker.ts runs only as a worker thread')

/** What WebAssembly throws when it aborts; an error of a statement never has these names. */
const wasmFaults = new Set(['RuntimeError', 'ExitStatus'])

const reply = (response: WorkerResponse) => port.postMessage(response)

function describeError(error: unknown): WorkerError {
  const source = error as Record<string, unknown>
  const fields: Record<string, string> = {}
  for (const name of errorFields) if (typeof source[name] === 'string') fields[name] = source[name]
  return { message: error instanceof Error ? error.message : String(error), fields }
}

const toResult = (result: Results<Record<string, unknown>>): WorkerResult => ({
  rows: result.rows,
  fields: result.fields,
  ...(result.affectedRows === undefined ? {} : { affectedRows: result.affectedRows }),
})

async function handle(database: PGlite, request: WorkerRequest): Promise<WorkerResult[]> {
  switch (request.operation) {
    case 'query':
      return [toResult(await database.query<Record<string, unknown>>(request.sql, request.parameters))]
    case 'exec':
      return (await database.exec(request.sql)).map((result) => toResult(result as Results<Record<string, unknown>>))
    case 'listen':
      await database.listen(request.channel, (payload) => {
        reply({ type: 'notification', channel: request.channel, payload })
      })
      return []
    case 'unlisten':
      await database.unlisten(request.channel)
      return []
    case 'close':
      await database.close()
      return []
  }
}

try {
  const { directory } = workerData as { directory: string }
  const database = await PGlite.create(directory, { extensions: { pg_textsearch } })
  let previous: Promise<void> = Promise.resolve()
  port.on('message', (request: WorkerRequest) => {
    previous = previous.then(async () => {
      try {
        reply({ type: 'result', id: request.id, results: await handle(database, request) })
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
