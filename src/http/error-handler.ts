import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyInstance } from 'fastify'
import { ServiceError } from './errors.ts'
import { invalidRequest } from './validation.ts'

/** Faults that Fastify finds before a route runs, in the words of our catalogue. */
const fastifyFaults: Record<string, ServiceError> = {
  FST_ERR_CTP_INVALID_JSON_BODY: new ServiceError('INVALID_REQUEST', 'body: is not valid JSON.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: new ServiceError('INVALID_REQUEST', 'body: is empty; send a JSON object.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new ServiceError('INVALID_REQUEST', 'body: its size is not its Content-Length.'),
  FST_ERR_CTP_BODY_TOO_LARGE: new ServiceError('PAYLOAD_TOO_LARGE', 'The body is larger than 64 KiB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'),
}

/** Postgres' classes of errors that mean that the database cannot be reached, is stopping or is too busy. */
const unavailableStates = /^(08|53|57P|57014)/

function toServiceError(error: FastifyError | ServiceError): ServiceError {
  if (error instanceof ServiceError) return error
  if (error.validation) return invalidRequest(error.validationContext ?? 'body', error.validation as ErrorObject[])
  const known = fastifyFaults[error.code]
  if (known) return known
  if (unavailableStates.test(error.code ?? '') || error.code === 'ECONNREFUSED') {
    return new ServiceError('UNAVAILABLE', 'The service cannot reach its database just now. Try again shortly.')
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ServiceError('INVALID_REQUEST', 'The request could not be read.')
  }
  return new ServiceError('INTERNAL_ERROR', 'Something went wrong on our side. The request id helps to find it.')
}

/** The one place where errors become answers. What an inner error says stays in the log. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const serviceError = toServiceError(error)
    if (serviceError.status >= 500) request.log.error({ err: error }, 'request failed')
    const { code, message, extras } = serviceError
    return reply.status(serviceError.status).send({ error: { code, message, ...extras } })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200)
    const message = `There is no ${request.method} ${path}. See /openapi.json.`
    return reply.status(404).send({ error: { code: 'NOT_FOUND', message } })
  })
}
