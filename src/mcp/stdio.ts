import { Readable } from 'node:stream'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'

/** Standard input, whose last message may lack a line break. */
async function* readInput(): AsyncGenerator<Uint8Array> {
  yield* process.stdin
  yield Buffer.from('\n')
}

/** Closes at the end of standard input, but only after answering everything asked. */
class AnsweringTransport extends StdioServerTransport {
  readonly #asked = new Set<RequestId>()
  readonly #answered = Promise.withResolvers<void>()
  #isEnding = false

  constructor() {
    super(Readable.from(readInput()))
  }

  /** A subscription is only answered at its end. */
  note(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method === 'subscriptions/listen') return
    if ('id' in message) this.#asked.add(message.id)
    else if (message.method === 'notifications/cancelled') this.#end(message.params?.requestId as RequestId)
  }

  #end(id: RequestId): void {
    this.#asked.delete(id)
    if (this.#isEnding && this.#asked.size === 0) this.#answered.resolve()
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message)
    if (!('method' in message) && message.id !== undefined) this.#end(message.id)
  }

  override async close(): Promise<void> {
    this.#isEnding = true
    if (this.#asked.size > 0) await this.#answered.promise
    await super.close()
  }
}

/** Serves an agent on standard input and output until the input ended and everything is answered. */
export function serveOnStdio(factory: Parameters<typeof serveStdio>[0]): void {
  const transport = new AnsweringTransport()
  serveStdio(factory, { transport })
  const { onmessage } = transport
  transport.onmessage = (message) => {
    transport.note(message)
    onmessage?.(message)
  }
}
