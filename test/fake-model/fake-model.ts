import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The parts of a request of the expansion that tests read. */
export interface ChatRequest {
  model: string
  messages: { role: string; content: string }[]
  max_tokens?: number
  max_completion_tokens?: number
  response_format: { type: string; json_schema?: { strict: boolean; schema: unknown } }
}

export interface ModelCall {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** As it was sent. */
  rawBody: string
  body: ChatRequest
}

export type ModelBehaviour = (response: ServerResponse, call: ModelCall) => void | Promise<void>

export interface FakeModel {
  /** For AI_BASE_URL. */
  baseUrl: string
  calls: ModelCall[]
  /** How it answers from now on. */
  behave(behaviour: ModelBehaviour): void
  stop(): Promise<void>
}

const send = (response: ServerResponse, status: number, body: string, type = 'application/json') =>
  void response.writeHead(status, { 'content-type': type }).end(body)

/** Answers with this message of an assistant. */
export const answersWith =
  (message: object, finishReason = 'stop'): ModelBehaviour =>
  (response) => {
    const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason }]
    send(response, 200, JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', choices }))
  }

export const suggests = (topics: readonly unknown[]): ModelBehaviour =>
  answersWith({ content: JSON.stringify({ topics }) })

/** Answers with this body, whatever it is. */
export const sends =
  (status: number, body: string, type?: string): ModelBehaviour =>
  (response) =>
    send(response, status, body, type)

/** Takes the question and never answers. */
export const neverAnswers: ModelBehaviour = () => {}

/** Begins an answer, goes on with spaces, which JSON allows, and never ends it. */
export const drips: ModelBehaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices": [')
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}

export const hangsUp: ModelBehaviour = (response) => void response.destroy()

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { calls, behaviour }: { calls: ModelCall[]; behaviour: ModelBehaviour },
): Promise<void> {
  const rawBody = await text(request)
  const body = rawBody === '' ? ({} as ChatRequest) : (JSON.parse(rawBody) as ChatRequest)
  const call = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, rawBody, body }
  calls.push(call)
  await behaviour(response, call)
}

/** Starts the server; it suggests nothing until a test sets its answer. */
export async function startFakeModel(): Promise<FakeModel> {
  const calls: ModelCall[] = []
  let behaviour: ModelBehaviour = suggests([])
  const server = createServer((request, response) => {
    answer(request, response, { calls, behaviour }).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    behave: (next) => {
      behaviour = next
    },
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
