import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { createAssembly, type Piece } from './json-pieces.ts'
import { JsonTextError, parseJson } from './json-text.ts'
import type { Outcome, Task } from './json-worker.ts'

/** The thread that parses has died over a text: it needed more memory than it may have. */
export class ParserDiedError extends Error {
  override readonly name = 'ParserDiedError'
}

export interface JsonReader {
  /**
   * Reads UTF-8 as JSON; a large text in a thread of its own, so that the event loop goes on meanwhile.
   * @param bytes given away: a large one cannot be used any more.
   * @throws JsonTextError, ParserDiedError
   */
  read(bytes: Uint8Array<ArrayBuffer>): Promise<unknown>
  close(): Promise<void>
}

/** Up to here parsing holds the event loop for a few milliseconds, which handing over would cost too (bench/bodies.ts). */
const inPlaceBytes = 1024 * 1024
/** A thread that is not needed takes memory for nothing. */
const idleMs = 5_000

/** One thread, and only while it is needed: large texts are read one after the other, which bounds what they take together. */
export function createJsonReader({ memoryMb = 384 } = {}): JsonReader {
  // What a text of the largest size can become; a hostile one ends the thread, not the process.
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 }
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let before: Promise<unknown> = Promise.resolve()

  const begin = () => {
    const begun = new Worker(new URL('./json-worker.ts', import.meta.url), { name: 'json', resourceLimits })
    // Without a listener an error would end the process; whoever waits for a text hears of the exit.
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
    const outcome = await ask(worker, { text, port })
    if (outcome !== 'parsed') throw new JsonTextError(outcome)
    const assembly = createAssembly()
    // One each turn of the event loop: a listener would be given many in one.
    for (let next = receiveMessageOnPort(pieces); next; next = receiveMessageOnPort(pieces)) {
      assembly.add(next.message as Piece)
      await nextTurn()
    }
    return assembly.value
  } finally {
    pieces.close()
  }
}

function ask(worker: Worker, task: Task): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const onExit = () => reject(new ParserDiedError('the thread that parses has ended'))
  worker.once('message', resolve).once('exit', onExit).ref()
  worker.postMessage(task, [task.text.buffer as ArrayBuffer, task.port])
  return promise.finally(() => worker.off('message', resolve).off('exit', onExit).unref())
}
