import { Worker } from 'node:worker_threads'
import { DatabaseError } from 'pg-protocol'
import { readAnswer, type StatementResult, scriptMessage, statementMessage, toParameters } from './messages.ts'
import { describeError, type WorkerError, type WorkerRequest, type WorkerResponse } from './protocol.ts'
import { createPreparedStatements } from './statements.ts'

/** An error that Postgres reported; `code` is its SQLSTATE, as with node-postgres. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError'
  constructor(error: WorkerError) {
    super(error.message)
    Object.assign(this, error.fields)
  }
}

export type Operation =
  | { operation: 'query'; sql: string; parameters: readonly unknown[] }
  | { operation: 'exec'; sql: string }
  | { operation: 'close' }

interface Pending {
  /** Of one statement with parameters, and under which name it was sent; null for anything else. */
  statement: { text: string; name: string } | null
  resolve(results: StatementResult[]): void
  reject(error: Error): void
}

/** The wire to the worker thread: requests out, answers matched by id, everything rejected when the thread dies. */
export function connectWorker(directory: string, onCrash: (error: Error) => void, isClosing: () => boolean) {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { directory },
    name: 'database',
  })
  const pending = new Map<number, Pending>()
  const listeners = new Map<string, Set<(payload: string) => void>>()
  const opening = Promise.withResolvers<void>()
  const statements = createPreparedStatements()
  let nextId = 1
  let dead: Error | null = null

  const die = (error: Error) => {
    if (dead) return
    dead = error
    opening.reject(error)
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }
  const crash = (error: Error) => {
    if (dead) return
    die(error)
    onCrash(error)
  }
  worker.on('message', (response: WorkerResponse) => {
    if (response.type === 'ready') return opening.resolve()
    if (response.type === 'failed') return die(new EmbeddedDatabaseError(response.error))
    if (response.type === 'broken') return crash(new EmbeddedDatabaseError(response.error))
    const call = pending.get(response.id)
    pending.delete(response.id)
    if (response.type === 'error') {
      if (call?.statement) statements.ended(call.statement.text, call.statement.name, 'XX000')
      return call?.reject(new EmbeddedDatabaseError(response.error))
    }
    const { results, error, notifications } = readAnswer(response.answer)
    if (call?.statement) statements.ended(call.statement.text, call.statement.name, error && (error.code ?? 'XX000'))
    if (error === null) call?.resolve(results)
    else call?.reject(error instanceof DatabaseError ? new EmbeddedDatabaseError(describeError(error)) : error)
    for (const { channel, payload } of notifications) {
      for (const notify of listeners.get(channel) ?? []) notify(payload)
    }
  })
  worker.on('error', crash)
  worker.on('exit', () => {
    const error = new Error('The embedded database is closed.')
    if (isClosing()) die(error)
    else crash(error)
  })

  const post = (id: number, message: Uint8Array<ArrayBuffer>) =>
    worker.postMessage({ id, operation: 'send', message } satisfies WorkerRequest, [message.buffer])
  /** @returns the statement, if it is one. */
  const send = (operation: Operation, id: number): Pending['statement'] => {
    if (operation.operation === 'close') worker.postMessage({ id, operation: 'close' } satisfies WorkerRequest)
    if (operation.operation === 'exec') {
      statements.seeScript(operation.sql)
      post(id, scriptMessage(operation.sql))
    }
    if (operation.operation !== 'query') return null
    const { sql: text } = operation
    // Before the statement has a name: nothing may fail any more then.
    const parameters = toParameters(operation.parameters)
    const beginning = statements.begin(text)
    post(id, statementMessage(beginning, parameters))
    return { text, name: beginning.name }
  }
  const call = (operation: Operation): Promise<StatementResult[]> => {
    if (dead) return Promise.reject(dead)
    const id = nextId++
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult[]>()
    try {
      pending.set(id, { statement: send(operation, id), resolve, reject })
    } catch (error) {
      // A parameter that cannot be sent, a function for example.
      reject(error as Error)
    }
    return promise
  }
  return { call, listeners, opened: opening.promise, stop: () => worker.terminate() }
}
