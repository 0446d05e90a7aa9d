import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fastify } from 'fastify'
import { sql } from 'kysely'
import { pino } from 'pino'
import { Agent, request } from 'undici'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { readConfig } from '../src/app/config.ts'
import { type Service, startService } from '../src/app/service.ts'
import type { Database } from '../src/database/open.ts'
import { startPostgres } from '../test/postgres.ts'
import { followNewRequests, linkToTopics } from '../test/stored-requests.ts'
import { percentile } from './report.ts'

// How fast cached lists are, through HTTP, beside a bare Fastify route that gives an answer of the same size.
//   node bench/lists.ts [--requests 1000000] [--seconds 5] [--clients 16] [--backend embedded|postgres] [--only TEXT] [--json]

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '16' },
    backend: { type: 'string', default: 'embedded' },
    /** Only the cases whose names have this text. */
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})
const amount = Number(values.requests)
const topics = 500
const apiKey = generateApiKey()

/** Rows that resemble those of the platforms: common and rare tags, platforms and votes, in a thousand topics. */
async function fill(database: Database): Promise<void> {
  await sql`insert into topics (key, name, created_at)
    select 'topic ' || n, 'Topic ' || n, now() from generate_series(0, ${topics - 1}::integer) as n`.execute(database)
  const step = 20_000
  for (let from = 0; from < amount; from += step) {
    await sql`
      insert into requests (confidence, platform, source_id, title, description, votes, tags, source_url, topic, author_name,
        original_created_at, created_at, updated_at)
      select 1, (array['github', 'hackernews', 'stackexchange', 'discourse', 'gitlab'])[1 + n % 5], n::text,
        'A wish with the number ' || n, repeat('Some words about it. ', 20), (power(n::bigint * 7919 % 1000, 2) / 1000)::integer,
        case when n % 10000 = 0 then array['rare', 'common'] when n % 3 = 0 then array['common'] else '{}' end,
        'https://example.org/' || n, 'Topic ' || n % ${topics}::integer, 'Ada',
        timestamptz '2016-01-01' + n::bigint * 7919 % ${amount}::bigint * interval '5 minutes', now(), now()
      from generate_series(${from}::integer, ${Math.min(from + step, amount) - 1}::integer) as n`.execute(database)
    const { rows } = await sql<{ id: string; topic: string }>`
      select id, lower(topic) as topic from requests
      where source_id = any(select n::text from generate_series(${from}::integer, ${Math.min(from + step, amount) - 1}::integer) as n)`.execute(
      database,
    )
    await followNewRequests(
      database,
      rows.map(({ id }) => id),
    )
    await linkToTopics(database, new Map(rows.map(({ id, topic }) => [id, topic])))
  }
  await sql`vacuum analyze`.execute(database)
}

interface Figures {
  p50Ms: number
  p99Ms: number
  perSecond: number
  bytes: number
}

/** Requests the paths in rotation, with so many clients at a time. */
async function measure(origin: string, paths: readonly string[], clients: number, seconds: number): Promise<Figures> {
  const agent = new Agent({ connections: clients })
  const times: number[] = []
  let bytes = 0
  let next = 0
  const until = performance.now() + seconds * 1000
  const client = async () => {
    while (performance.now() < until) {
      const path = paths[next++ % paths.length]!
      const since = performance.now()
      const answer = await request(origin + path, { dispatcher: agent, headers: { authorization: `Bearer ${apiKey}` } })
      const body = await answer.body.arrayBuffer()
      if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${Buffer.from(body)}`)
      times.push(performance.now() - since)
      bytes = body.byteLength
    }
  }
  const since = performance.now()
  await Promise.all(Array.from({ length: clients }, client))
  const tookMs = performance.now() - since
  await agent.close()
  times.sort((a, b) => a - b)
  const round = (value: number) => Math.round(value * 10) / 10
  return {
    p50Ms: round(percentile(times, 0.5)),
    p99Ms: round(percentile(times, 0.99)),
    perSecond: Math.round((times.length / tookMs) * 1000),
    bytes,
  }
}

const many = (count: number, pathOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => pathOf(index))

/** The measured lists; with `equal` all clients request the same one. */
const cases: [name: string, paths: string[]][] = [
  ['all, newest, equal', ['/api/v1/requests']],
  ['a topic, newest, equal', ['/api/v1/requests?topic=topic+7']],
  ['a topic, newest', many(topics, (index) => `/api/v1/requests?topic=topic+${index}`)],
  ['a topic, most voted', many(topics, (index) => `/api/v1/requests?topic=topic+${index}&sortBy=votes`)],
  ['a common tag', many(50, (index) => `/api/v1/requests?tag=common&minVotes=${index}`)],
  ['a rare tag', many(50, (index) => `/api/v1/requests?tag=rare&minVotes=${index}`)],
  [
    'a platform, dates, most voted',
    many(
      50,
      (index) =>
        `/api/v1/requests?platforms=github&since=2017-01-${String(1 + (index % 28)).padStart(2, '0')}&sortBy=votes`,
    ),
  ],
  [
    'nothing fits',
    many(50, (index) => `/api/v1/requests?tag=common&tag=rare&platforms=gitlab&minVotes=${998 + index}`),
  ],
  ['topics', ['/api/v1/topics', '/api/v1/topics?sortBy=votes', '/api/v1/topics?sortBy=name']],
  [
    'counts by every facet',
    many(
      50,
      (index) =>
        `/api/v1/requests/facets?minVotes=${index}&facets=platform&facets=status&facets=tag&facets=year&facets=votes`,
    ),
  ],
  ['counts without facets', many(50, (index) => `/api/v1/requests/facets?minVotes=${index}`)],
  ['changes', many(28, (index) => `/api/v1/changes?since=2026-01-${String(1 + index).padStart(2, '0')}&limit=8`)],
  ['topics by part of a name', many(50, (index) => `/api/v1/topics?query=c+${index}`)],
]

/** A route that only returns a text of the measured size: the maximum of Fastify and the machine. */
async function measureBare(bytes: number, clients: number, seconds: number): Promise<Figures> {
  const app = fastify<Server, IncomingMessage, ServerResponse>()
  const body = { data: { text: 'x'.repeat(Math.max(0, bytes - 22)) } }
  app.get('/', async () => body)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const figures = await measure(`http://127.0.0.1:${port}`, ['/'], clients, seconds)
  await app.close()
  return figures
}

async function run(service: Service): Promise<void> {
  const since = performance.now()
  await fill(service.database.database)
  const loadedInSeconds = Math.round((performance.now() - since) / 1000)
  const [clients, seconds] = [Number(values.clients), Number(values.seconds)]
  const rows: Record<string, Figures & { ofBare: number }> = {}
  for (const [name, paths] of cases.filter(([name]) => name.includes(values.only))) {
    for (const count of [1, clients]) {
      const figures = await measure(service.address ?? '', paths, count, seconds)
      const bare = await measureBare(figures.bytes, count, Math.min(2, seconds))
      rows[`${name}, ${count} client${count === 1 ? '' : 's'}`] = {
        ...figures,
        ofBare: Math.round((figures.perSecond / bare.perSecond) * 100) / 100,
      }
    }
  }
  if (values.json) console.log(JSON.stringify({ backend: values.backend, requests: amount, loadedInSeconds, rows }))
  else {
    console.log(
      `${amount.toLocaleString('en-US')} requests in ${topics} topics, ${values.backend}, loaded in ${loadedInSeconds} s`,
    )
    console.table(rows)
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-lists-'))
const server = values.backend === 'postgres' ? await startPostgres() : null
try {
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: 'admin-key-of-the-bench',
    ...(server ? { DATABASE_URL: server.url('postgres') } : {}),
  })
  const limits = {
    ofTier: () => 1_000_000_000,
    polls: 1_000_000,
    feedback: 1_000_000,
    page: 1_000_000,
    withoutKey: 1_000_000,
    files: 1_000_000,
  }
  const failed = (error: Error) => {
    throw error
  }
  const measured = { ...config, requestLimits: limits, cachesResponses: false }
  const service = await startService(measured, pino({ level: 'silent' }), failed)
  try {
    await run(service)
  } finally {
    await service.stop()
  }
} finally {
  await server?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
