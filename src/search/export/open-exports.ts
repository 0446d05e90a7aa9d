import { Readable } from 'node:stream'
import { createAccountSlots } from '../../http/account-slots.ts'
import { ServiceError } from '../../http/errors.ts'

/** Open exports of an account, in this process. */
export const maxExportsPerAccount = 3

const stopping = () => new ServiceError('UNAVAILABLE', 'The service is stopping.')

/** The open exports of this process. */
export function createOpenExports() {
  const streams = new Set<Readable>()
  const slots = createAccountSlots({ perAccount: maxExportsPerAccount, total: Number.POSITIVE_INFINITY })
  let stopped = false
  return {
    /**
     * Opens an export for an account; null when the account has the maximum open.
     * @throws what `texts` throws before its first text; UNAVAILABLE at shutdown.
     */
    async open(accountId: string, texts: () => Promise<AsyncGenerator<string>>): Promise<Readable | null> {
      const leave = slots.enter(accountId)
      if (typeof leave === 'string') return null
      try {
        const stream = await toStream(await texts())
        streams.add(stream)
        stream.once('close', () => {
          streams.delete(stream)
          leave()
        })
        if (stopped) stream.destroy(stopping())
        return stream
      } catch (error) {
        leave()
        throw error
      }
    },
    /** Breaks the exports off: their readers see that they do not have the whole, and go on with their last cursor. */
    stop(): void {
      stopped = true
      for (const stream of streams) stream.destroy(stopping())
    },
  }
}

/**
 * Text as a stream. The first text is made before the response begins, so that what is wrong with the call is an ordinary
 * error.
 */
async function toStream(texts: AsyncGenerator<string>): Promise<Readable> {
  const first = await texts.next()
  const all = (async function* () {
    if (!first.done) yield first.value
    yield* texts
  })()
  return Readable.from(all, { objectMode: false, highWaterMark: 64 * 1024 })
}
