import { Readable } from 'node:stream'
import { type FollowedJob, nextEvent, type Position } from './job-events.ts'

/** How long a reader that lost its stream waits before it comes again. */
const reconnectMs = 2_000
const heartbeatMs = 15_000
/** How long one connection is kept: who comes again shows its key again, and a reader that is gone unnoticed is let go. */
const maxAgeMs = 15 * 60_000
/** How long a reader may take for what was written when its stream ends. */
const lastWordsMs = 1_000

/**
 * The server-sent events of a job for one reader. Events are made when the reader has room for them, from the newest state: for
 * a slow one nothing piles up.
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

  /** The job as it is now; the last one is final. */
  update(job: FollowedJob): void {
    this.#newest = job
    if (this.#hasRoom) this.#write()
  }

  /** Ends the stream without a final event: the reader may come again. */
  finish(): void {
    if (this.#over) return
    this.#over = true
    this.push(null)
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.destroy(), lastWordsMs).unref()
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
