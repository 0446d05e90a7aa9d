import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { moduleFile } from '../../runtime/module-file.ts'
import { createAssembly, type Piece } from './json-pieces.ts'
import { JsonTextError, parseJson } from './json-text.ts'
import type { Outcome, Task } from './json-worker.ts'

/** The parsing thread has died: a text needed more memory than its limit. */
export class ParserDiedError extends Error {
  override readonly name = 'ParserDiedError'
}

export interface JsonReader {
  /**
   * Reads UTF-8 as JSON; a large text in another thread, so that the event loop is not blocked.
   * @param bytes a large one is transferred, so the caller must not use it afterwards.
   * @throws JsonTextError, ParserDiedError
   */
  read(bytes: Uint8Array<ArrayBuffer>): Promise<unknown>
  close(): Promise<void>
}

/** Parsing up to this size holds the event loop for a few milliseconds; a transfer would cost as much (bench/bodies.ts). */
const inPlaceBytes = 1024 * 1024
/** An idle thread is ended, because it holds memory. */
const idleMs = 5_000

/** One thread, started on demand: it reads large texts one after the other, which bounds their memory. */
export function createJsonReader({ memoryMb = 384 } = {}): JsonReader {
  // Enough for a text of the maximum size; a hostile one ends the thread, not the process.
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 }
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let before: Promise<unknown> = Promise.resolve()

  const begin = () => {
    const begun = new Worker(moduleFile('./json-worker', import.meta.url), { name: 'json', resourceLimits })
    // Without a listener an error would end the process; the pending read is rejected on exit.
    begun
      .on('error', () => {})
      .on('exit', () => {
        if (worker === begun) worker = null
      })
    return begun
  }
  const end = async () => {
    const ended = worker
    worker = null
    await ended?.terminate()
  }
  const readApart = async (bytes: Uint8Array<ArrayBuffer>) => {
    clearTimeout(idle)
    worker ??= begin()
    try {
      return await readIn(worker, bytes)
    } finally {
      idle = setTimeout(end, idleMs).unref()
    }
  }
  return {
    read: async (bytes) => {
      if (bytes.length <= inPlaceBytes) return parseJson(bytes)
      const reading = before.then(() => readApart(bytes))
      before = reading.then(
        () => {},
        () => {},
      )
      return reading
    },
    close: async () => {
      clearTimeout(idle)
      await end()
    },
  }
}

async function readIn(worker: Worker, text: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const { port1: pieces, port2: port } = new MessageChannel()
  try {
    const outcome = await parseIn(worker, { text, port })
    if (outcome !== 'parsed') throw new JsonTextError(outcome)
    const assembly = createAssembly()
    // One piece for each turn of the event loop: a listener would receive many in one.
    for (let next = receiveMessageOnPort(pieces); next; next = receiveMessageOnPort(pieces)) {
      assembly.add(next.message as Piece)
      await nextTurn()
    }
    return assembly.value
  } finally {
    pieces.close()
  }
}

function parseIn(worker: Worker, task: Task): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const onExit = () => reject(new ParserDiedError('the thread that parses has ended'))
  worker.once('message', resolve).once('exit', onExit).ref()
  worker.postMessage(task, [task.text.buffer as ArrayBuffer, task.port])
  return promise.finally(() => worker.off('message', resolve).off('exit', onExit).unref())
}
