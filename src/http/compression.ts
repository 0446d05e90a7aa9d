import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createResponseCache, type Version } from '../runtime/response-cache.ts'

/** Shorter answers would hardly be fewer packets. */
const thresholdBytes = 1_024
/** Of compressed answers: thousands of the usual ones. */
const maxCachedBytes = 8_000_000

/** Measured on answers of the service (docs/benchmarks.md): no more bytes than gzip makes at its default level, in less time. */
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

/** The first one where a caller likes several equally. */
const encodings = ['br', 'gzip', 'identity']

/** What the caller takes, by `Accept-Encoding`; null for the answer as it is, also where the header is missing. */
export function encodingFor(acceptEncoding: string | undefined): Encoding | null {
  const chosen = acceptEncoding === undefined ? null : negotiate(acceptEncoding.toLowerCase(), encodings)
  return chosen === 'br' || chosen === 'gzip' ? chosen : null
}

const isText = (reply: FastifyReply) =>
  /^(application\/json|text\/html)\b/.test(String(reply.getHeader('content-type')))

/**
 * Compresses answers that are text in memory, JSON and the reference, for callers who accept it. Streams (events, exports, backups)
 * and the files of the page, which are compressed at its build, pass as they are.
 *
 * What was compressed is kept by its content as long as nothing changes, as the answers are that it is made of
 * (decisions/028): the same answer is compressed once.
 * @param version of the cached requests.
 */
export function compressAnswers(app: FastifyInstance, version: Version): void {
  const keep = createResponseCache({ version, maxSize: maxCachedBytes, sizeOf: (body) => (body as Buffer).length })
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isText(reply) || reply.hasHeader('content-encoding')) return payload
    // Also where it goes as it is: a cache in between must not give it to others compressed, or the reverse.
    reply.header('vary', 'Accept-Encoding')
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding === null || payload.length < thresholdBytes) return payload
    const body = Buffer.from(payload)
    // Not for secrecy: a hash that nobody can meet on purpose, so that no answer is ever given for another.
    const key = `${encoding} ${createHash('sha256').update(body).digest('base64')}`
    const compressed = await keep(key, () => compressors[encoding](body))
    reply.headers({ 'content-encoding': encoding, 'content-length': compressed.length })
    return compressed
  })
}
