import type { TestClient } from '../test/client.ts'

// What hostile callers and sources send (reviews of November): each case by itself, as an account of the largest plan.

/** Where the sources of the cases are: the bench serves `feeds` there. */
export interface HostileContext {
  client: TestClient
  /** The address of a feed or an answer by its name. */
  sourceUrl(name: string): string
}

const rss = (items: string) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><link>https://x.example/</link>${items}</channel></rss>`

/** Answers of a hostile source, by name; each has at most 5 MB. */
export const feeds: Readonly<Record<string, () => string>> = {
  'attributes without values': () => rss(`<item ${'a:b '.repeat(1_200_000)}/>`),
  'tags without ends': () => rss('<a '.repeat(1_500_000)),
  'names behind a quotation mark': () => rss(`<item " ${'a:b '.repeat(1_100_000)}/>`),
  'a million elements': () => rss(`<item>${'<a/>'.repeat(1_000_000)}</item>`),
  'deep elements': () => rss(`${'<a>'.repeat(700_000)}${'</a>'.repeat(700_000)}`),
  'entities of entities': () =>
    `<!DOCTYPE rss [${Array.from({ length: 9 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`).join('')}<!ENTITY e0 "x">]>${rss('<item><title>&e9;</title></item>')}`,
  'references to characters': () =>
    rss(`<item><title>x</title><description>${'&amp;'.repeat(900_000)}</description></item>`),
  'a thousand long texts': () =>
    rss(
      Array.from(
        { length: 1_000 },
        (_, id) =>
          `<item><guid>${id}</guid><title>dark mode ${id}</title><description>${'please add it '.repeat(330)}</description></item>`,
      ).join(''),
    ),
  'JSON of brackets': () => `{"version":"https://jsonfeed.org/version/1","items":${'['.repeat(4_900_000)}`,
  'JSON of names': () =>
    `{"version":"https://jsonfeed.org/version/1","items":[{${Array.from({ length: 99_000 }, (_, id) => `"name that never repeats ${id}":1`).join(',')}}]}`,
}

/** Of a usual feed. */
export const usualFeed = () =>
  rss(Array.from({ length: 50 }, (_, id) => `<item><guid>${id}</guid><title>dark mode ${id}</title></item>`).join(''))

const megabytes = (count: number, text: string) => text.repeat(Math.ceil((count * 1_000_000) / text.length))

/** Files that are imported: their type and text. */
const files: Readonly<Record<string, () => [type: string, text: string]>> = {
  brackets: () => ['application/json', `${'['.repeat(8_000_000)}${']'.repeat(8_000_000)}`],
  'brackets in an item': () => ['application/json', `[{"title":${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}}]`],
  'a million names': () => [
    'application/json',
    `[{${Array.from({ length: 600_000 }, (_, id) => `"n${id}":1`).join(',')}}]`,
  ],
  'a string of 60 MB': () => ['application/json', `[{"title":"${megabytes(60, 'x')}"}]`],
  'a line of 60 MB': () => ['application/x-ndjson', `{"title":"${megabytes(60, 'x')}"}`],
  'a million columns': () => ['text/csv', `title,${megabytes(7, 'c,')}\nx`],
  'a quotation mark that never ends': () => ['text/csv', `title,text\n"${megabytes(60, 'x,\n')}`],
  'empty lines': () => ['text/csv', `title\n${megabytes(60, '\n')}`],
  'short items': () => ['application/json', `[${megabytes(16, '{},')}{}]`],
  'no JSON at its end': () => ['application/json', `[${megabytes(15, '{"title":"dark mode please"},')}`],
  'UTF-16': () => ['text/csv', `\u00ff\u00fe${megabytes(20, 'x\0')}`],
}

const importFile =
  (name: string) =>
  async ({ client }: HostileContext) => {
    const [type, body] = files[name]!()
    await client.send('POST', '/api/v1/feedback/imports?name=hostile', { headers: { 'content-type': type }, body })
  }

const readFeed =
  (name: string) =>
  async ({ client, sourceUrl }: HostileContext) => {
    const { body } = await client.scrape({
      topic: 'dark mode',
      platforms: ['rss'],
      sources: { rss: [sourceUrl(name)] },
    })
    if (body.data === undefined) throw new Error(body.error.message)
    await client.waitForJob(body.data.jobId, 60_000)
  }

async function callTool({ client }: HostileContext, name: string, parameters: object): Promise<void> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: parameters } }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  }
  await client.send('POST', '/mcp', { headers, body: JSON.stringify(call) })
}

const words = (count: number) => Array.from({ length: count }, (_, number) => `word${number}`).join(' ')

/** By name; each is done once it was answered. */
export const hostileCases: Readonly<Record<string, (context: HostileContext) => Promise<void>>> = {
  ...Object.fromEntries(Object.keys(files).map((name) => [`import: ${name}`, importFile(name)])),
  ...Object.fromEntries(Object.keys(feeds).map((name) => [`feed: ${name}`, readFeed(name)])),
  'six imports of brackets': async (context) => {
    for (let count = 0; count < 6; count++) await importFile('brackets')(context)
  },
  'an export as a wish, three at once': async (context) => {
    await Promise.all([1, 2, 3].map(() => callTool(context, 'wish', { requestId: 'export' })))
  },
  'a wish of dots': (context) => callTool(context, 'wish', { wishId: '..' }),
  'a file of a brief that is none': async ({ client }) => {
    await client.send('POST', '/api/v1/briefs/verify', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ file: megabytes(0.4, '> x\n\n') }),
    })
  },
  'forty searches of two hundred words': async ({ client }) => {
    await Promise.all(Array.from({ length: 40 }, (_, at) => client.search(`${words(60)} ${at}`, { sortBy: 'votes' })))
  },
}
