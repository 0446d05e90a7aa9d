import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createResponseCache, type Version } from '../runtime/response-cache.ts'
import { hasTag } from './conditional.ts'

/** Compression hardly saves packets below this size. */
const thresholdBytes = 1_024
/** Compressed answers: enough for thousands of usual ones. */
const maxCachedBytes = 4_000_000

/** No larger than gzip at its default level, in less time (docs/benchmarks.md). */
const brotliQuality = 4

const [compressGzip, compressBrotli] = [promisify(gzip), promisify(brotliCompress)]
const compressors = {
  br: (body: Buffer): Promise<Buffer> =>
    compressBrotli(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: Buffer): Promise<Buffer> => compressGzip(body),
}
type Encoding = keyof typeof compressors

/** In order of preference if a caller likes several equally. */
const encodings = ['br', 'gzip', 'identity']

/** Encoding by `Accept-Encoding`; null for none, or without the header. */
export function encodingFor(acceptEncoding: string | undefined): Encoding | null {
  const chosen = acceptEncoding === undefined ? null : negotiate(acceptEncoding.toLowerCase(), encodings)
  return chosen === 'br' || chosen === 'gzip' ? chosen : null
}

const isText = (reply: FastifyReply) =>
  /^(application\/json|text\/html)\b/.test(String(reply.getHeader('content-type')))

/**
 * Compresses answers in memory (JSON, the reference), not streams and precompressed dashboard files. Cached by content
 * while nothing changes (decision 026).
 * @param version of the cached requests
 */
export function compressAnswers(app: FastifyInstance, version: Version): void {
  const keep = createResponseCache({ version, maxSize: maxCachedBytes, sizeOf: (body) => (body as Buffer).length })
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isText(reply) || reply.hasHeader('content-encoding')) return payload
    // Set even without compression, so that shared caches keep encodings apart.
    const others = reply.getHeader('vary')
    reply.header('vary', others === undefined ? 'Accept-Encoding' : `${others}, Accept-Encoding`)
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding === null || payload.length < thresholdBytes) return payload
    const body = Buffer.from(payload)
    // Cryptographic, because a crafted collision would swap answers.
    const key = `${encoding} ${createHash('sha256').update(body).digest('base64')}`
    const compressed = await keep(key, () => compressors[encoding](body))
    reply.headers({ 'content-encoding': encoding, 'content-length': compressed.length })
    return compressed
  })
}

/** An unchanging text in the forms to send. */
interface Prepared {
  etag: string
  bodies: Record<'br' | 'gzip' | 'identity', Buffer>
}

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)]
/** The best quality takes seconds at the first call, and saves a tenth. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

async function prepare(text: string): Promise<Prepared> {
  const identity = Buffer.from(text)
  const [br, compressed] = await Promise.all([toBrotli(identity, brotliOptions), toGzip(identity)])
  // Weak: one tag for all encodings.
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url')}"`
  return { etag, bodies: { br, gzip: compressed, identity } }
}

/** Whether the caller already has this answer, by `If-None-Match`. */
export const isKnown = ({ headers }: FastifyRequest, etag: string): boolean =>
  hasTag(headers['if-none-match'] ?? '', etag)

/** An answer equal for every caller, made and compressed on the first call. The caller sets its content type. */
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
