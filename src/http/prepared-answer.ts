import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from './compression.ts'

/** What is sent of a text that does not change while the service runs. */
interface Prepared {
  etag: string
  bodies: Record<'br' | 'gzip' | 'identity', Buffer>
}

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)]
/** The best takes seconds for the first caller, and saves a tenth. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

async function prepare(text: string): Promise<Prepared> {
  const identity = Buffer.from(text)
  const [br, compressed] = await Promise.all([toBrotli(identity, brotliOptions), toGzip(identity)])
  // Weak: one tag for all encodings.
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url')}"`
  return { etag, bodies: { br, gzip: compressed, identity } }
}

/** Whether a caller has this answer already, by `If-None-Match`. A proxy that compresses turns the tag into a weak one. */
export const isKnown = ({ headers }: FastifyRequest, etag: string): boolean =>
  headers['if-none-match']?.replaceAll('W/', '').split(/, */).includes(etag.replace('W/', '')) ?? false

/**
 * An answer that is the same for every caller while the service runs: made and compressed once, at the first call, and sent as bytes.
 * The caller sets its content type.
 */
export function prepareAnswer(make: () => string) {
  let prepared: Promise<Prepared> | null = null
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    prepared ??= prepare(make()).catch((error) => {
      prepared = null
      throw error
    })
    const { etag, bodies } = await prepared
    reply.headers({ etag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' })
    if (isKnown(request, etag)) return reply.code(304).send()
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding !== null) reply.header('content-encoding', encoding)
    return reply.send(bodies[encoding ?? 'identity'])
  }
}
