import { type MessagePort, parentPort } from 'node:worker_threads'
import { piecesOf } from './json-pieces.ts'
import { type JsonFault, JsonTextError, parseJson } from './json-text.ts'

/** A text to parse, and where its pieces go. */
export interface Task {
  text: Uint8Array
  port: MessagePort
}

/** Sent after all pieces, or instead of them with the reason. */
export type Outcome = 'parsed' | JsonFault

function parse({ text, port }: Task): Outcome {
  try {
    for (const piece of piecesOf(parseJson(text))) port.postMessage(piece)
    return 'parsed'
  } catch (error) {
    if (error instanceof JsonTextError) return error.fault
    throw error
  }
}

parentPort!.on('message', (task: Task) => parentPort!.postMessage(parse(task)))
