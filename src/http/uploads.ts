import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { makeWorkDirectory } from '../database/embedded/data-directory.ts'
import { freeBytes, neededBytes } from '../database/embedded/free-space.ts'
import { collectAfter } from '../runtime/foreign/garbage.ts'
import { ServiceError } from './errors.ts'

/** Limits of an upload. Total time is unlimited: a slow line is no fault. */
export const usualUploadLimits = {
  maxBytes: 64 * 1024 * 1024,
  /** For all accounts at once; none starts unless this many of maximum size fit the disk. */
  total: 32,
  /** Maximum pause between bytes. */
  silenceMs: 30_000,
  /** `windowBytes` must arrive in each period of this length. */
  windowMs: 60_000,
  windowBytes: 600_000,
}
export type UploadLimits = typeof usualUploadLimits

/** How long a caller with another running upload should wait. */
const retryAfterSeconds = 10
const chunkBytes = 64 * 1024

const receiving = new WeakSet<Socket>()

/** Whether a connection has an upload, with its own limits instead of the request time limit. */
export const bringsUpload = (socket: Socket): boolean => receiving.has(socket)

/** Receives a body in pieces. After a refusal, drops the rest for a while: many callers read the answer only then. */
function receiveBody(
  raw: IncomingMessage,
  { limits, signal, write }: { limits: UploadLimits; signal: AbortSignal; write: (chunk: Buffer) => Promise<void> },
): Promise<void> {
  const { socket } = raw
  const { silenceMs, windowMs, windowBytes } = limits
  const slow = `The file arrived too slowly: a pause of ${silenceMs / 1000} s, or less than ${windowBytes / windowMs} kB/s for ${windowMs / 1000} s.`
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let written = Promise.resolve()
  let bytes = 0
  const tooSlow = () => reject(new ServiceError('REQUEST_TIMEOUT', slow))
  const silence = setTimeout(tooSlow, silenceMs)
  const window = setInterval(() => {
    if (bytes < windowBytes) tooSlow()
    bytes = 0
  }, windowMs)
  const take = (chunk: Buffer) => {
    silence.refresh()
    bytes += chunk.length
    raw.pause()
    written = written.then(() => write(chunk))
    written.then(() => raw.resume(), reject)
  }
  const stop = () => reject(signal.reason)
  const cutOff = () => reject(new ServiceError('INVALID_REQUEST', 'The file was cut off.'))
  if (signal.aborted) stop()
  if (raw.destroyed) cutOff()
  signal.addEventListener('abort', stop, { once: true })
  raw.on('data', take).once('end', () => resolve(written))
  raw.once('close', cutOff)
  receiving.add(socket)
  return promise.finally(() => {
    receiving.delete(socket)
    clearTimeout(silence)
    clearInterval(window)
    signal.removeEventListener('abort', stop)
    raw.off('data', take)
    if (raw.readableEnded || raw.destroyed) return
    raw.resume()
    const end = setTimeout(() => socket.destroy(), silenceMs).unref()
    raw.once('close', () => clearTimeout(end))
  })
}

/** An unlinked file, deleted when it is closed or the process ends. */
async function openUnnamed(dataDir: string): Promise<FileHandle> {
  // With Postgres, nothing else has created it.
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const directory = makeWorkDirectory(dataDir)
  try {
    return await open(join(directory, 'upload'), 'wx+', 0o600)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Reads from the start. Not a stream of the handle, which would close it when abandoned. */
async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Receives bodies as files of the data directory, one per account at a time. @param signal refuses running uploads */
export function createUploads(dataDir: string, signal: AbortSignal, limits: UploadLimits = usualUploadLimits) {
  const { maxBytes, total } = limits
  const owners = new Set<string>()
  const tooLarge = () => new ServiceError('PAYLOAD_TOO_LARGE', `The file is larger than ${maxBytes / 1024 / 1024} MiB.`)
  const noRoom = () => new ServiceError('UNAVAILABLE', 'The service has no room for the file. Try again later.')

  async function spool(raw: IncomingMessage): Promise<FileHandle> {
    if ((await freeBytes(dataDir)) < neededBytes + owners.size * maxBytes) throw noRoom()
    if (Number(raw.headers['content-length']) > maxBytes) throw tooLarge()
    const file = await openUnnamed(dataDir)
    let bytes = 0
    const write = async (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge()
      await file.appendFile(chunk)
    }
    try {
      await receiveBody(raw, { limits, signal, write })
      return file
    } catch (error) {
      await file.close()
      throw ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '') ? noRoom() : error
    }
  }

  /** @returns the unread body as a file; `close` deletes it and admits the owner's next one @throws ServiceError */
  return async (owner: string, { raw }: FastifyRequest, reply: FastifyReply) => {
    if (owners.has(owner) || owners.size >= total) {
      reply.header('retry-after', retryAfterSeconds)
      const why = owners.has(owner) ? 'Another import of this account is' : 'Too many imports are'
      throw new ServiceError('CONFLICT', `${why} under way. Try again when it has ended.`)
    }
    owners.add(owner)
    try {
      const file = await spool(raw)
      const { size } = await file.stat()
      const close = async () => {
        await file.close().finally(() => owners.delete(owner))
        collectAfter(size)
      }
      return { read: () => readChunks(file), close }
    } catch (error) {
      owners.delete(owner)
      if (error instanceof ServiceError && error.code === 'REQUEST_TIMEOUT')
        reply.header('retry-after', retryAfterSeconds)
      throw error
    }
  }
}
