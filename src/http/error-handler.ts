import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../database/errors.ts'
import { documentationOf, ServiceError } from './errors.ts'
import { bringsUpload } from './uploads.ts'
import { invalidRequest } from './validation.ts'

/** Headers of every answer. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
})

/** Fastify's errors from before a route runs, as our codes. */
const fastifyFaults: Record<string, ServiceError> = {
  FST_ERR_CTP_INVALID_JSON_BODY: new ServiceError('INVALID_REQUEST', 'body: is not valid JSON.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: new ServiceError('INVALID_REQUEST', 'body: is empty; send a JSON object.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new ServiceError('INVALID_REQUEST', 'body: its size is not its Content-Length.'),
  FST_ERR_BAD_URL: new ServiceError('INVALID_REQUEST', 'The address is not properly encoded.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'),
}

const sizeOf = (bytes: number) => (bytes < 2 ** 20 ? `${bytes / 1024} KiB` : `${bytes / 2 ** 20} MiB`)

/** A failed request, which may not have a route yet. */
type Failed = Pick<FastifyRequest, 'log' | 'id'> & Partial<Pick<FastifyRequest, 'routeOptions'>>

function toServiceError(error: FastifyError | ServiceError, { routeOptions }: Failed): ServiceError {
  if (error instanceof ServiceError) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${sizeOf(routeOptions!.bodyLimit)}.`)
  if (error.validation) return invalidRequest(error.validationContext ?? 'body', error.validation as ErrorObject[])
  const known = fastifyFaults[error.code]
  if (known) return known
  if (isDatabaseUnavailable(error)) {
    return new ServiceError('UNAVAILABLE', 'The service cannot reach its database. Try again shortly.')
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ServiceError('INVALID_REQUEST', 'The request could not be read.')
  }
  return new ServiceError('INTERNAL_ERROR', 'Something went wrong on our side. The request id helps to find it.')
}

const errorBody = ({ code, message, extras }: ServiceError, requestId: string) => ({
  error: { code, message, ...extras, requestId, documentation: documentationOf(code) },
})

/** An error's public part; inner errors are only logged. */
export function describeError(error: FastifyError | ServiceError, request: Failed) {
  const { log, id } = request
  const serviceError = toServiceError(error, request)
  const { status } = serviceError
  if (status >= 500) log.error({ err: error }, 'request failed')
  return { status, body: errorBody(serviceError, id) }
}

/** Connections answered before their body arrived: what follows gets no second answer. */
const answered = new WeakSet<Socket>()

function renderError(error: FastifyError | ServiceError, request: FastifyRequest, reply: FastifyReply): void {
  const { status, body } = describeError(error, request)
  // Keeps the connection, which Fastify would close: the sender reads the answer only after sending the whole body.
  if (status === 413) reply.removeHeader('connection')
  if (!request.raw.complete) answered.add(request.raw.socket)
  reply.status(status).send(body)
}

/** Renders a Fastify error from before any hook. */
export function renderFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders(request.id))
  renderError(error, request, reply)
}

/** Node errors from before there is a request. */
const clientFaults: Record<string, ServiceError> = {
  // Node's limit. Uses a declared status: no call declares 431.
  HPE_HEADER_OVERFLOW: new ServiceError('INVALID_REQUEST', 'The address and the headers are larger than 16 KiB.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ServiceError('REQUEST_TIMEOUT', 'The request arrived too slowly.'),
}

/** Answers bytes that are not HTTP, or too slow. Without a request object, the request id is only in the answer. */
export function renderClientError(error: { code?: string }, socket: Socket): void {
  // The caller closed the connection.
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  if (isSlow && bringsUpload(socket)) return
  if (isSlow && answered.has(socket)) return void socket.destroy()
  const fault = clientFaults[error.code ?? ''] ?? new ServiceError('INVALID_REQUEST', 'The request could not be read.')
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody(fault, requestId))
  const head = `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`
  const headers = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  // Destroyed, because Node checks a request's time limit only once: a caller could send forever.
  if (socket.writable) socket.end(`${head}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy())
  else socket.destroy()
}

/** Renders route errors, and 404 without a route. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>(renderError)
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200)
    const message = `There is no ${request.method} ${path}. See /openapi.json.`
    return reply.status(404).send(errorBody(new ServiceError('NOT_FOUND', message), request.id))
  })
}
