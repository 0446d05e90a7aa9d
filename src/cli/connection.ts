import { connectionError, readAnswer } from './answers.ts'
import type { ClientConfig } from './client-config.ts'
import { CommandError } from './exit-codes.ts'

/** A stream that delivers nothing for so long, not even a heartbeat, is broken. */
const silenceMs = 45_000

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** An answer that arrives in pieces. */
export interface StreamedAnswer {
  response: Response
  /** Its bytes. @throws ApiError when the connection breaks or delivers nothing for 45 s. */
  bytes: AsyncIterable<Uint8Array>
}

/** HTTP to one service. Every method throws ApiError, or the reason of the signal once that is aborted. */
export interface Connection {
  /** @returns the envelope of a JSON answer. */
  call<Body>(path: string, call?: Call): Promise<Body>
  /** Sends a call whose answer may take longer than the time limit of a call. */
  openStream(path: string, call?: Call): Promise<StreamedAnswer>
  /** @returns the envelope of an answer that is no stream. */
  readEnvelope(response: Response, signal?: AbortSignal): Promise<Record<string, unknown>>
  /** Yields the same items; an error of their source becomes an ApiError. */
  explainEach<Item>(items: AsyncIterable<Item>, signal?: AbortSignal): AsyncGenerator<Item>
}

function send({ url, apiKey }: ClientConfig, path: string, call: Call, limit: AbortSignal): Promise<Response> {
  const { method = 'GET', body, headers, signal } = call
  return fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    // A followed redirect turns a POST into a GET.
    redirect: 'manual',
  })
}

/** @param timeoutMs how long a call may take; a stream is limited by its silence instead. */
export function createConnection(config: ClientConfig, timeoutMs: number): Connection {
  const { url, keyFrom } = config
  const explain = (error: unknown, limitMs: number, signal?: AbortSignal): unknown => {
    if (signal?.aborted) return signal.reason
    return error instanceof CommandError ? error : connectionError(url, error, limitMs)
  }
  const readEnvelope = async (response: Response) => {
    const { status, headers } = response
    return readAnswer({ url, status, headers, text: await response.text(), keyFrom })
  }
  async function* explainEach<Item>(items: AsyncIterable<Item>, signal?: AbortSignal) {
    try {
      yield* items
    } catch (error) {
      throw explain(error, silenceMs, signal)
    }
  }
  return {
    async call<Body>(path: string, call: Call = {}) {
      try {
        return (await readEnvelope(await send(config, path, call, AbortSignal.timeout(timeoutMs)))) as Body
      } catch (error) {
        throw explain(error, timeoutMs, call.signal)
      }
    },
    async openStream(path, call = {}) {
      const silence = watchSilence()
      try {
        const response = await send(config, path, call, silence.signal)
        return { response, bytes: explainEach(silence.during(response.body), call.signal) }
      } catch (error) {
        silence.end()
        throw explain(error, silenceMs, call.signal)
      }
    },
    async readEnvelope(response, signal) {
      try {
        return await readEnvelope(response)
      } catch (error) {
        throw explain(error, silenceMs, signal)
      }
    },
    explainEach,
  }
}

/** A signal that is aborted when a stream has delivered nothing for too long. */
function watchSilence() {
  const controller = new AbortController()
  const onSilence = () => controller.abort(new DOMException('silent', 'TimeoutError'))
  const timer = setTimeout(onSilence, silenceMs).unref()
  return {
    signal: controller.signal,
    end: () => clearTimeout(timer),
    async *during(body: AsyncIterable<Uint8Array> | null) {
      try {
        for await (const chunk of body ?? []) {
          timer.refresh()
          yield chunk
        }
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
