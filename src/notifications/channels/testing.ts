import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Message } from '../../accounts/events/message.ts'

export interface ReceivedMessage {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** How a receiver answers. */
export type Answering = (response: ServerResponse, received: ReceivedMessage) => void

export interface Receiver {
  /** `http://127.0.0.1:…`, without a slash at the end. */
  url: string
  received: ReceivedMessage[]
  /** Answers from now on in another way. */
  answer(answering: Answering): void
  /** Breaks all its connections. */
  hangUp(): void
  close(): Promise<void>
}

/** Answers with a status, and nothing else. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  (response) =>
    response.writeHead(code, headers).end()

/** Never answers. */
export const hanging: Answering = () => {}

/** A real HTTP receiver at a port of its own. */
export async function startReceiver(first: Answering = status(200)): Promise<Receiver> {
  let answering = first
  const received: ReceivedMessage[] = []
  const server = createServer(async (request, response) => {
    const entry = { path: request.url ?? '/', headers: request.headers, body: await text(request).catch(() => '') }
    received.push(entry)
    answering(response, entry)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => {
      answering = next
    },
    hangUp: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A message with one item, for tests of formats. */
export const testMessage = (changes: Partial<Message> = {}): Message => ({
  id: '00000000-0000-4000-8000-000000000001',
  type: 'watch.news',
  occurredAt: new Date('2026-05-05T12:00:00Z'),
  title: 'Editors: 1 new',
  paragraphs: [],
  sections: [
    {
      heading: 'New',
      items: [{ title: 'Dark mode', url: 'https://wishwell.example/wishes/1', detail: '12 votes · GitHub' }],
      more: 0,
    },
  ],
  link: { label: 'Open the watch', url: 'https://wishwell.example/watches/1' },
  data: { watchId: '1' },
  ...changes,
})
