import { Readable } from 'node:stream'
import type { LiveEvents } from './live-call.ts'

const heartbeatMs = 10_000

/**
 * The progress of one call as server-sent events. Their number is bounded (one when each collection starts and one when it ends),
 * so none is dropped for a slow reader.
 */
export class LiveEventStream extends Readable implements LiveEvents {
  #heartbeat: NodeJS.Timeout | undefined
  #over = false

  topics(topics: readonly string[]): void {
    this.#send('topics', JSON.stringify({ topics }))
  }

  collection(progress: object): void {
    this.#send('collection', JSON.stringify(progress))
  }

  /** The last event: `result` with the answer, or `error` with the error body and its status. */
  end(event: 'result' | 'error', json: string): void {
    this.#send(event, json)
    this.#over = true
    clearInterval(this.#heartbeat)
    this.push(null)
  }

  #send(event: string, json: string): void {
    this.#write(`event: ${event}\ndata: ${json}\n\n`)
  }

  #write(text: string): void {
    if (!this.#over && !this.destroyed) this.push(text)
  }

  /** The heartbeat is for a reader: a call that is refused before its first event has none, and leaves no timer behind. */
  override _read(): void {
    if (!this.#over) this.#heartbeat ??= setInterval(() => this.#write(':\n\n'), heartbeatMs).unref()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#over = true
    clearInterval(this.#heartbeat)
    callback(error)
  }
}
