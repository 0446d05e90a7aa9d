import { Readable } from 'node:stream'
import { type FollowedJob, nextEvent, type Position } from './job-events.ts'

/** How long a reader that lost its stream waits before it reconnects. */
const reconnectMs = 2_000
const heartbeatMs = 15_000
/** How long one connection lives: a reader that reconnects is authenticated again, and a dead connection is closed. */
const maxAgeMs = 15 * 60_000
/** How long a reader may take to read the rest when its stream ends. */
const drainMs = 1_000

/**
 * The server-sent events of a job for one reader. An event is made when the reader has room for it, from the newest state, so
 * nothing accumulates for a slow reader.
 */
export class EventStream extends Readable {
  #position: Position
  #newest: FollowedJob | null = null
  #hasRoom = false
  #over = false
  readonly #heartbeat: NodeJS.Timeout
  #deadline: NodeJS.Timeout

  constructor(position: Position) {
    super({ highWaterMark: 4 * 1024 })
    this.#position = position
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref()
    this.#deadline = setTimeout(() => this.finish(), maxAgeMs).unref()
    this.push(`retry: ${reconnectMs}\n\n`)
  }

  /** Takes the job as it is now. A job that has ended ends the stream once it was sent. */
  update(job: FollowedJob): void {
    this.#newest = job
    if (this.#hasRoom) this.#write()
  }

  /** Ends the stream without a final event; the reader may reconnect. */
  finish(): void {
    if (this.#over) return
    this.#over = true
    this.push(null)
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.destroy(), drainMs).unref()
  }

  #beat(): void {
    if (this.#hasRoom && !this.#over) this.#hasRoom = this.push(':\n\n')
  }

  #write(): void {
    while (this.#hasRoom && !this.#over && this.#newest) {
      const next = nextEvent(this.#newest, this.#position)
      if (next === null) return
      this.#position = next.position
      this.#hasRoom = this.push(next.text)
      if (next.position.ended) this.finish()
    }
  }

  override _read(): void {
    this.#hasRoom = true
    this.#write()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#over = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#deadline)
    callback(error)
  }
}
