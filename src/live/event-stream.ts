import { Readable } from 'node:stream'
import type { LiveEvents } from './live-call.ts'

const heartbeatMs = 10_000

/**
 * The progress of one call as server-sent events. What it tells is bounded (a line for each collection and its end), so nothing
 * is dropped for a slow reader.
 */
export class LiveEventStream extends Readable implements LiveEvents {
  readonly #heartbeat: NodeJS.Timeout
  #over = false

  constructor() {
    super()
    this.#heartbeat = setInterval(() => this.#write(':\n\n'), heartbeatMs).unref()
  }

  topics(topics: readonly string[]): void {
    this.#tell('topics', JSON.stringify({ topics }))
  }

  collection(progress: object): void {
    this.#tell('collection', JSON.stringify(progress))
  }

  /** The last event: `result` with the answer, or `error` with the error body and its status. */
  end(event: 'result' | 'error', json: string): void {
    this.#tell(event, json)
    this.#over = true
    clearInterval(this.#heartbeat)
    this.push(null)
  }

  #tell(event: string, json: string): void {
    this.#write(`event: ${event}\ndata: ${json}\n\n`)
  }

  #write(text: string): void {
    if (!this.#over && !this.destroyed) this.push(text)
  }

  override _read(): void {}

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#over = true
    clearInterval(this.#heartbeat)
    callback(error)
  }
}
