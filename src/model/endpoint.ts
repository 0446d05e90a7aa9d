import { type Dispatcher, getGlobalDispatcher, request as send } from 'undici'
import { createDispatcher, hasProxy } from '../http/outbound/proxy.ts'
import { createCircuit } from '../platforms/budget/health.ts'
import { BodyError, readAnswerBody } from '../platforms/client/body.ts'
import { endpointUrl, userAgentFor } from '../platforms/client/client.ts'
import { headerText } from '../platforms/headers.ts'
import { PlatformError } from '../platforms/platform.ts'
import type { Clock } from '../runtime/clock.ts'
import { version } from '../runtime/version.ts'
import { completionRequest, type Dialect, ModelError, type Question } from './completion.ts'
import type { ModelConfig } from './settings.ts'

/** The used part of a pino logger. It never gets a key, address, body, query or cached text. */
export interface ModelLog {
  warn(fields: object, message: string): void
}

/** A failure of the endpoint, not just of this question. */
export class EndpointError extends ModelError {}

export interface EndpointDependencies {
  config: ModelConfig
  clock: Clock
  dispatcher?: Dispatcher | undefined
}

export interface Endpoint {
  /** Whether a question may be sent: not for a minute or more after five failures in a row, then once, to probe. */
  admits(): boolean
  /** @param read parses the body, or throws ModelError @throws ModelError without an answer; the signal's reason */
  complete<T>(question: Question, read: (body: unknown) => T, signal: AbortSignal): Promise<T>
}

/** Leaves room for the model's reasoning. */
const bodyLimitBytes = 256 * 1024

/** Without proxies, the shared dispatcher. */
const dispatcherOf = ({ proxies, timeoutMs }: ModelConfig) =>
  proxies === undefined || !hasProxy(proxies)
    ? getGlobalDispatcher()
    : createDispatcher(proxies, { connectMs: timeoutMs })

/** An OpenAI-compatible endpoint. Never follows redirects: the key goes only to the configured address. */
export function createEndpoint(dependencies: EndpointDependencies): Endpoint {
  const { config, clock, dispatcher = dispatcherOf(config) } = dependencies
  const circuit = createCircuit()
  // The dialect this server last accepted.
  let dialect: Dialect = 'current'

  const requestBody = async (question: Question, signal: AbortSignal): Promise<unknown> => {
    const response = await post({ ...dependencies, dispatcher }, completionRequest(config, dialect, question), signal)
    const { statusCode: status } = response
    if (dialect === 'current' && (status === 400 || status === 422)) {
      await response.body.dump()
      const body = await readBody(
        await post({ ...dependencies, dispatcher }, completionRequest(config, 'plain', question), signal),
      )
      dialect = 'plain'
      return body
    }
    return readBody(response)
  }

  return {
    admits: () => circuit.admit(clock.now()) === null,
    complete: async (question, read, signal) => {
      const deadline = AbortSignal.timeout(config.timeoutMs)
      try {
        const answer = read(await requestBody(question, AbortSignal.any([signal, deadline])))
        circuit.recordAnswer()
        return answer
      } catch (error) {
        signal.throwIfAborted()
        const failure = toModelError(error, deadline.aborted)
        if (failure instanceof EndpointError) {
          circuit.recordFailure(new PlatformError('unavailable', failure.message), clock.now())
        } else circuit.recordAnswer()
        throw failure
      }
    },
  }
}

function post(
  { config, dispatcher }: EndpointDependencies & { dispatcher: Dispatcher },
  body: string,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return send(endpointUrl(config.baseUrl, '/chat/completions', {}), {
    method: 'POST',
    body,
    signal,
    dispatcher,
    // The signal limits everything.
    headersTimeout: 0,
    bodyTimeout: 0,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': userAgentFor(version),
      ...(config.apiKey === undefined ? {} : { authorization: `Bearer ${config.apiKey}` }),
    },
  })
}

async function readBody({ statusCode: status, headers, body }: Dispatcher.ResponseData): Promise<unknown> {
  if (status < 200 || status > 299) {
    await body.dump({ limit: bodyLimitBytes })
    throw new EndpointError(status >= 300 && status < 400 ? 'redirected; check AI_BASE_URL' : `answered ${status}`)
  }
  const type = headerText(headers, 'content-type') ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    await body.dump({ limit: bodyLimitBytes })
    throw new EndpointError('answered with something else than JSON; check AI_BASE_URL')
  }
  return readAnswerBody(body, headers, bodyLimitBytes)
}

function toModelError(error: unknown, late: boolean): ModelError {
  if (late) return new EndpointError('did not answer in time')
  if (error instanceof ModelError) return error
  if (error instanceof BodyError) return new EndpointError(`answered with ${error.message}`)
  const { code, name } = error as { code?: unknown; name?: unknown }
  // Never the message: undici's errors may quote the body.
  return new EndpointError(`could not be called (${typeof code === 'string' ? code : String(name)})`)
}
