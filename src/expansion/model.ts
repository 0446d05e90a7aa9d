import type { Dispatcher } from 'undici'
import { request as send } from 'undici'
import { createCircuit } from '../platforms/budget/circuit.ts'
import { BodyError, readJsonBody } from '../platforms/client/body.ts'
import { endpointUrl } from '../platforms/client/client.ts'
import { headerText } from '../platforms/client/headers.ts'
import { PlatformError } from '../platforms/platform.ts'
import type { Clock } from '../runtime/clock.ts'
import { ModelError, readSuggestions, suggestedTopic } from './model-answer.ts'
import { type Dialect, modelRequest } from './model-request.ts'
import type { ModelConfig } from './settings.ts'

/** The part of a pino logger that is needed here. It never gets a key, an address, a body, a query or a text of the cache. */
export interface ExpansionLog {
  warn(fields: object, message: string): void
}

export interface Model {
  /**
   * Topics that the model suggests beside the query, validated like any text from outside.
   * @param phrases the only part of the cache that is sent.
   * @returns null when it gave no usable topic; the log has the reason.
   * @throws only when `signal` is aborted.
   */
  suggest(question: { query: string; phrases: readonly string[] }, signal: AbortSignal): Promise<string[] | null>
}

/** Far more than the few topics need, because a model may add its reasoning. */
const bodyLimitBytes = 256 * 1024

/** A failure of the endpoint, not only of this query. */
class EndpointError extends ModelError {}

/** Requests topics from an OpenAI-compatible endpoint. After five failures of the endpoint in a row it is not called for a while. */
export function createModel(dependencies: {
  config: ModelConfig
  clock: Clock
  log: ExpansionLog
  userAgent: string
  dispatcher?: Dispatcher
}): Model {
  const { config, clock, log } = dependencies
  const circuit = createCircuit()
  // The dialect that this server last accepted.
  let dialect: Dialect = 'current'

  const requestTopics = async (question: { query: string; phrases: readonly string[] }, signal: AbortSignal) => {
    const response = await post(dependencies, modelRequest(config, dialect, question), signal)
    const { statusCode: status } = response
    if (dialect === 'current' && (status === 400 || status === 422)) {
      await response.body.dump()
      const second = await post(dependencies, modelRequest(config, 'plain', question), signal)
      const body = await readBody(second)
      dialect = 'plain'
      return readSuggestions(body)
    }
    return readSuggestions(await readBody(response))
  }

  return {
    suggest: async (question, signal) => {
      if (circuit.admit(clock.now()) !== null) return null
      const deadline = AbortSignal.timeout(config.timeoutMs)
      try {
        const suggestions = await requestTopics(question, AbortSignal.any([signal, deadline]))
        circuit.recordAnswer()
        const topics = suggestions
          .map((suggestion) => suggestedTopic(suggestion, question.query))
          .filter((topic) => topic !== null)
        if (topics.length === 0) throw new ModelError('gave no usable topic')
        return topics
      } catch (error) {
        signal.throwIfAborted()
        const failure = toModelError(error, deadline.aborted)
        if (failure instanceof EndpointError) {
          circuit.recordFailure(new PlatformError('unavailable', failure.message), clock.now())
        } else circuit.recordAnswer()
        log.warn({ reason: failure.message }, 'the model gave no topics; they come from the cache')
        return null
      }
    },
  }
}

function post(
  { config, userAgent, dispatcher }: { config: ModelConfig; userAgent: string; dispatcher?: Dispatcher },
  body: string,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return send(endpointUrl(config.baseUrl, '/chat/completions', {}), {
    method: 'POST',
    body,
    signal,
    ...(dispatcher ? { dispatcher } : {}),
    // The signal bounds all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...(config.apiKey === undefined ? {} : { authorization: `Bearer ${config.apiKey}` }),
    },
  })
}

/** Redirects are never followed: the key and the query are meant for the configured address alone. */
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
  return readJsonBody(body, headers, bodyLimitBytes)
}

function toModelError(error: unknown, late: boolean): ModelError {
  if (late) return new EndpointError('did not answer in time')
  if (error instanceof ModelError) return error
  if (error instanceof BodyError) return new EndpointError(`answered with ${error.message}`)
  const { code, name } = error as { code?: unknown; name?: unknown }
  // Never the message: undici's errors can carry pieces of the body.
  return new EndpointError(`could not be called (${typeof code === 'string' ? code : String(name)})`)
}
