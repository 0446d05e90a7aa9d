import { connectionError, cutOffError, readAnswer } from './answers.ts'
import type { ClientConfig } from './client-config.ts'
import { CommandError } from './exit-codes.ts'

/** An event stream that is silent for longer, without even a heartbeat, is broken. */
const maxSilenceMs = 45_000

/** HTTP to one service with an account's key. Throws ApiError on failure, or the aborted signal's reason. */
export interface Connection {
  /** @returns an answer with an envelope, read within the time limit. */
  fetch(request: Request): Promise<Response>
  /** @returns a successful answer with a streamed body, which throws ApiError if cut off or silent for too long. */
  stream(request: Request): Promise<Response>
  /** @returns the envelope of a `stream` answer that turns out to be one. */
  readEnvelope(response: Response): Promise<Record<string, unknown>>
}

export type ConnectionConfig = Pick<ClientConfig, 'url' | 'apiKey' | 'keyFrom'>

interface ConnectionOptions {
  /** How long a stream may be silent. */
  silenceMs?: number
  /** The network, or a service in this process. */
  transport?: typeof fetch
}

/** @param timeoutMs of a call; a stream is limited by its silence instead */
export function createConnection(
  { url, apiKey, keyFrom }: ConnectionConfig,
  timeoutMs: number,
  { silenceMs = maxSilenceMs, transport = fetch }: ConnectionOptions = {},
): Connection {
  const send = (request: Request, limit: AbortSignal) => {
    request.headers.set('authorization', `Bearer ${apiKey}`)
    // A followed redirect turns a POST into a GET.
    return transport(request, { signal: AbortSignal.any([request.signal, limit]), redirect: 'manual' })
  }
  const explain = (error: unknown, limitMs: number, { signal }: Request): unknown => {
    if (signal.aborted) return signal.reason
    return error instanceof CommandError ? error : connectionError(url, error, limitMs)
  }
  const readEnvelope = async (response: Response) => {
    const { status, headers } = response
    return readAnswer({ url, status, headers, text: await response.text(), keyFrom })
  }
  // Takes the request to keep it alive: once garbage collected, its signal no longer follows the original.
  async function* explainEach(chunks: AsyncIterable<Uint8Array>, request: Request) {
    try {
      yield* chunks
    } catch (error) {
      throw (error as Error).name === 'TimeoutError' || request.signal.aborted
        ? explain(error, silenceMs, request)
        : cutOffError(url)
    }
  }
  return {
    async fetch(request) {
      try {
        return Response.json(await readEnvelope(await send(request, AbortSignal.timeout(timeoutMs))))
      } catch (error) {
        throw explain(error, timeoutMs, request)
      }
    },
    async stream(request) {
      const silence = watchSilence(silenceMs)
      try {
        const response = await send(request, silence.signal)
        if (!response.ok) await readEnvelope(response)
        const { body } = response
        return new Response(body && ReadableStream.from(explainEach(silence.during(body), request)), response)
      } catch (error) {
        silence.end()
        throw explain(error, silenceMs, request)
      }
    },
    readEnvelope,
  }
}

function watchSilence(silenceMs: number) {
  const controller = new AbortController()
  const onSilence = () => controller.abort(new DOMException('silent', 'TimeoutError'))
  const timer = setTimeout(onSilence, silenceMs).unref()
  return {
    signal: controller.signal,
    end: () => clearTimeout(timer),
    async *during(body: AsyncIterable<Uint8Array>) {
      try {
        for await (const chunk of body) {
          timer.refresh()
          yield chunk
        }
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
