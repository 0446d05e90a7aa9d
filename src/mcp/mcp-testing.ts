import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { encode } from 'gpt-tokenizer'
import { onTestFinished } from 'vitest'

/** How a client opens: as before the specification of 2026-07-28, or by it where it is spoken. */
export const eras = ['legacy', 'auto'] as const

type Transport = Parameters<Client['connect']>[0]

/** A client of the tests, until the test ends. */
export async function connect(transport: Transport, mode: (typeof eras)[number] = 'auto'): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

/** How `/mcp` is reached with a key. */
export const httpTransport = (url: string, apiKey: string, path = '/mcp') =>
  new StreamableHTTPClientTransport(new URL(url + path), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  })

/** Sends `/mcp` one message, or several, as they are. @param headers beside those of every call, and instead of them */
export const sendMcp = (url: string, message: object | null, headers: Record<string, string>, method = 'POST') =>
  fetch(`${url}/mcp`, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    ...(message === null ? {} : { body: JSON.stringify(message) }),
  })

/** What one text costs a model. */
export const tokensOf = (value: unknown): number => encode(JSON.stringify(value)).length

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever a tool answers, to check it.
export type Structured = Record<string, any>

/** What a tool answered: all of its text, and its structured content. */
export async function callTool(client: Client, name: string, given: Record<string, unknown> = {}) {
  const result = (await client.callTool({ name, arguments: given })) as CallToolResult
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const structured = (result.structuredContent ?? {}) as Structured
  return { text, structured, isError: result.isError === true, tokens: tokensOf([result.content, structured]) }
}
