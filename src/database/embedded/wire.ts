import { Worker } from 'node:worker_threads'
import { DatabaseError } from 'pg-protocol'
import { moduleFile } from '../../runtime/module-file.ts'
import {
  describeError,
  readAnswer,
  type StatementResult,
  scriptMessage,
  statementMessage,
  toParameters,
  type WorkerError,
  type WorkerRequest,
  type WorkerResponse,
} from './messages.ts'
import { createPreparedStatements, type PreparedStatements } from './statements.ts'

/** An error reported by Postgres; `code` is its SQLSTATE, as in node-postgres. */
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
  /** Text and sent name of a parameterized statement; null for other operations. */
  statement: { text: string; name: string } | null
  resolve(results: StatementResult[]): void
  reject(error: Error): void
}

/** Encodes operations as messages to the worker thread. */
function createSender(worker: Worker, statements: PreparedStatements) {
  const post = (id: number, message: Uint8Array<ArrayBuffer>) =>
    worker.postMessage({ id, operation: 'send', message } satisfies WorkerRequest, [message.buffer])
  const sendStatement = (id: number, text: string, values: readonly unknown[]) => {
    // First, because it may throw, and a named statement must be sent.
    const parameters = toParameters(values)
    const prepared = statements.begin(text)
    post(id, statementMessage(prepared, parameters))
    return { text, name: prepared.name }
  }
  return (operation: Operation, id: number): Pending['statement'] => {
    if (operation.operation === 'query') return sendStatement(id, operation.sql, operation.parameters)
    if (operation.operation === 'close') worker.postMessage({ id, operation: 'close' } satisfies WorkerRequest)
    else {
      statements.seeScript(operation.sql)
      post(id, scriptMessage(operation.sql))
    }
    return null
  }
}

type Listeners = Map<string, Set<(payload: string) => void>>

/** Settles calls and delivers notifications. @param onFatal gets errors after which the database is unusable */
function createReceiver(statements: PreparedStatements, listeners: Listeners, onFatal: (error: Error) => void) {
  const ended = (call: Pending | undefined, code: string | null) => {
    if (call?.statement) statements.ended(call.statement.text, call.statement.name, code)
  }
  return (response: Extract<WorkerResponse, { id: number }>, call: Pending | undefined): void => {
    if (response.type === 'error') {
      ended(call, 'XX000')
      call?.reject(new EmbeddedDatabaseError(response.error))
      return
    }
    const { results, error: read, isFatal, notifications } = readAnswer(response.answer)
    ended(call, read && (read.code ?? 'XX000'))
    const error = read instanceof DatabaseError ? new EmbeddedDatabaseError(describeError(read)) : read
    if (error === null) call?.resolve(results)
    else {
      call?.reject(error)
      if (isFatal) onFatal(error)
    }
    for (const { channel, payload } of notifications) {
      for (const notify of listeners.get(channel) ?? []) notify(payload)
    }
  }
}

/** Postgres' error for its own statement timeout. */
const timeLimitReached = (maxMs: number): WorkerError => ({
  message: `canceling statement due to statement timeout: it ran longer than ${maxMs} ms`,
  fields: { code: '57014' },
})

/** Times the first pending call, as the thread answers in order. @param onLimit called once above `limit` */
function createTimeLimit(pending: ReadonlyMap<number, Pending>, onLimit: (id: number, maxMs: number) => void) {
  let watched: number | null = null
  let since = 0
  let maxMs: number | null = null
  let timer: NodeJS.Timeout | undefined
  const restart = () => {
    clearTimeout(timer)
    const [id, limit] = [watched, maxMs]
    if (id === null || limit === null) return
    // Answers that arrived while this thread was busy are read first.
    timer = setTimeout(() => setImmediate(() => pending.has(id) && onLimit(id, limit)), limit)
  }
  return {
    /** Call when a call was added or taken. */
    update: () => {
      const id = pending.keys().next().value ?? null
      if (id === watched) return
      watched = id
      since = performance.now()
      restart()
    },
    limit: (limit: number) => {
      maxMs = limit
      restart()
    },
    runningMs: () => (watched === null ? 0 : performance.now() - since),
  }
}

/** Unanswered calls; after `fail`, every call fails with the same error. @param onLimit see `createTimeLimit` */
function createPendingCalls(
  send: (operation: Operation, id: number) => Pending['statement'],
  onLimit: (id: number, maxMs: number) => void,
) {
  const pending = new Map<number, Pending>()
  const { update, limit, runningMs } = createTimeLimit(pending, onLimit)
  let nextId = 1
  let failure: Error | null = null
  const take = (id: number): Pending | undefined => {
    const call = pending.get(id)
    pending.delete(id)
    update()
    return call
  }
  return {
    call: (operation: Operation): Promise<StatementResult[]> => {
      if (failure) return Promise.reject(failure)
      const id = nextId++
      const { promise, resolve, reject } = Promise.withResolvers<StatementResult[]>()
      try {
        pending.set(id, { statement: send(operation, id), resolve, reject })
        update()
      } catch (error) {
        // A parameter that cannot be sent, e.g. a function.
        reject(error as Error)
      }
      return promise
    },
    take,
    limit,
    runningMs,
    /** @returns false if they failed before */
    fail: (error: Error): boolean => {
      if (failure) return false
      failure = error
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
      update()
      return true
    },
  }
}

/**
 * Starts the worker thread and matches answers by id. It is killed if a statement exceeds its limit, because
 * WebAssembly cannot be interrupted, or after FATAL or PANIC, where PGlite would loop; all calls then fail.
 * @param onCrash unless `isClosing()`, with SQLSTATE 57014 for an overlong statement
 */
export function connectWorker(directory: string, onCrash: (error: Error) => void, isClosing: () => boolean) {
  const worker = new Worker(moduleFile('./worker', import.meta.url), {
    workerData: { directory },
    name: 'database',
  })
  const listeners: Listeners = new Map()
  const opening = Promise.withResolvers<void>()
  const statements = createPreparedStatements()
  const calls = createPendingCalls(createSender(worker, statements), (id, maxMs) => endWith(calls.take(id), maxMs))
  const receive = createReceiver(statements, listeners, (error) => {
    crash(error)
    void worker.terminate()
  })

  const die = (error: Error): boolean => {
    opening.reject(error)
    return calls.fail(error)
  }
  const crash = (error: Error) => {
    if (die(error)) onCrash(error)
  }
  const endWith = (slow: Pending | undefined, maxMs: number) => {
    const error = new EmbeddedDatabaseError(timeLimitReached(maxMs))
    slow?.reject(error)
    // The other calls are not too slow.
    if (die(new Error('The embedded database is closed, since a statement ran too long.'))) onCrash(error)
    void worker.terminate()
  }
  worker.on('message', (response: WorkerResponse) => {
    if (response.type === 'ready') opening.resolve()
    else if (response.type === 'failed') die(new EmbeddedDatabaseError(response.error))
    else if (response.type === 'broken') crash(new EmbeddedDatabaseError(response.error))
    else receive(response, calls.take(response.id))
  })
  worker.on('error', crash)
  worker.on('exit', () => {
    const error = new Error('The embedded database is closed.')
    if (isClosing()) die(error)
    else crash(error)
  })
  const { call, limit, runningMs } = calls
  return { call, limit, runningMs, listeners, opened: opening.promise, stop: () => worker.terminate() }
}
