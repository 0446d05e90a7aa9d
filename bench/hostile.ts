import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createTestClient } from '../test/client.ts'
import { createMemoryGroup } from '../test/memory-group.ts'
import { feeds, type HostileContext, hostileCases, usualFeed } from './hostile-cases.ts'
import { startLaunchedService } from './launched-service.ts'
import { loadRequests } from './memory-data.ts'
import { percentile, writeSection } from './report.ts'

// What a second account notices of hostile files, feeds and calls of a first one, within 1 GB of memory (a control group, where
// this process may make one): the longest wait for its `/api/v1/usage`, and what the process keeps.
//   node bench/hostile.ts [--checkout DIR …] [--requests 15000] [--only TEXT] [--write]     in turns with other checkouts, this one last

const { values } = parseArgs({
  options: {
    checkout: { type: 'string', multiple: true, default: [] },
    requests: { type: 'string', default: '15000' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
const adminKey = 'admin-key-of-the-benchmark'
const limitBytes = 2 ** 30
const pollMs = 20
const killed = 'killed at 1 GB'

/** Sources that look usual when they are named, and answer what is hostile afterwards. */
async function startSources() {
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').split('/').at(-1) ?? '')
    const isFirst = !seen.has(request.url ?? '')
    seen.add(request.url ?? '')
    response.setHeader('content-type', 'application/rss+xml').end(isFirst ? usualFeed() : (feeds[name] ?? usualFeed)())
  }).listen(0)
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  let runs = 0
  return {
    // A host of its own for each, since a host is asked twenty times a minute.
    of: (name: string) => `http://127.0.0.${++runs + 1}:${port}/${runs}/${encodeURIComponent(name)}`,
    close: () => server.close(),
  }
}

interface Measured {
  /** The longest wait of the second account, in milliseconds. */
  longest: number
  usual: number
  resident: number
  end: string
}

/** Runs a case beside a second account that asks all the time. */
async function measure(
  run: () => Promise<void>,
  ask: () => Promise<unknown>,
  resident: () => number,
): Promise<Measured> {
  const waits: number[] = []
  const poll = async (until: () => boolean) => {
    while (!until()) {
      const from = performance.now()
      try {
        await ask()
      } catch {
        hasEnded = true
        return
      }
      waits.push(performance.now() - from)
      await sleep(pollMs)
    }
  }
  let hasEnded = false
  const until = performance.now() + 1_000
  await poll(() => performance.now() > until)
  const usual = Math.max(...waits.splice(0))
  let isOver = false
  const end = run().then(
    () => 'answered',
    (error: unknown) => (error as Error).message.slice(0, 60),
  )
  const polled = poll(() => isOver)
  const said = await end
  await sleep(200)
  isOver = true
  await polled
  if (hasEnded) return { longest: 0, usual, resident: 0, end: killed }
  return { longest: Math.max(...waits), usual, resident: resident(), end: said }
}

/** What a service that is in use has done before: code is compiled, caches are filled. */
async function warmUp({ client, sourceUrl }: HostileContext): Promise<void> {
  const rows = Array.from({ length: 2_000 }, (_, id) => `${id},dark mode ${id},please add it`)
  for (let count = 0; count < 10; count++) {
    await Promise.all(['dark mode', 'csv export', 'offline'].map((words) => client.search(`${words} ${count}`)))
    await client.get(`/api/v1/requests?limit=100&minVotes=${count}`)
    const headers = { 'content-type': 'text/csv' }
    const body = ['id,title,text', ...rows].join('\n')
    await client.send('POST', `/api/v1/feedback/imports?name=usual-${count}`, { headers, body })
    const { body: job } = await client.scrape({ topic: 'dark mode', sources: { rss: [sourceUrl('usual')] } })
    await client.waitForJob(job.data.jobId)
  }
}

async function runCheckout(checkout: string | undefined, dataDir: string): Promise<Map<string, Measured>> {
  const [sources, group] = [await startSources(), createMemoryGroup(limitBytes)]
  if (group === null) console.log('no control group can be made here: the limit of 1 GB is not set')
  const environment = {
    DATA_DIR: dataDir,
    ADMIN_API_KEY: adminKey,
    ALLOW_PRIVATE_TARGETS: 'true',
    SOURCES: 'any',
    PLATFORMS: 'rss,hackernews',
  }
  const start = () => startLaunchedService(environment, checkout, group?.entry)
  let running = await start()
  try {
    const admin = createTestClient(() => running.url, adminKey)
    const accountOf = async (name: string) => {
      const { body } = await admin.post('/api/admin/accounts', { name, tier: 'max' })
      return body.data.apiKey as string
    }
    const apiKey = await accountOf('hostile')
    const other = createTestClient(() => running.url, await accountOf('second'))
    const context: HostileContext = {
      client: createTestClient(() => running.url, apiKey),
      sourceUrl: sources.of,
    }
    const measured = new Map<string, Measured>()
    await warmUp(context)
    const before = running.service().resident
    for (const [name, run] of Object.entries(hostileCases)) {
      if (!name.includes(values.only)) continue
      const one = await measure(
        () => run(context),
        () => other.get('/api/v1/usage'),
        () => running.service().resident,
      )
      console.log(
        `${name}: ${JSON.stringify({ ...one, longest: Math.round(one.longest), usual: Math.round(one.usual) })}`,
      )
      measured.set(name, one)
      if (one.resident === 0) running = await start()
    }
    const { peak } = running.service()
    await sleep(60_000)
    const after = running.service().resident
    console.log(`resident before ${before} MB, peak ${peak}, a minute after the last case ${after}`)
    measured.set('resident, MB: before, peak, a minute after', {
      longest: 0,
      usual: 0,
      resident: after,
      end: `${before}, ${peak}, ${after}`,
    })
    return measured
  } finally {
    await running.stop()
    group?.remove()
    sources.close()
  }
}

const directories: string[] = []
const columns: Map<string, Measured>[] = []
for (const checkout of [...values.checkout, undefined]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-bench-hostile-'))
  directories.push(dataDir)
  console.log(`\n${checkout ?? 'this checkout'}`)
  // Schemas differ, so each checkout loads its own.
  const load =
    checkout === undefined
      ? loadRequests
      : ((await import(join(checkout, 'bench/memory-data.ts'))).loadRequests as typeof loadRequests)
  await load(dataDir, adminKey, Number(values.requests))
  columns.push(await runCheckout(checkout, dataDir))
}
for (const directory of directories) rmSync(directory, { recursive: true, force: true })

const shown = (one: Measured | undefined) =>
  one === undefined ? '' : one.longest === 0 ? one.end : `${Math.round(one.longest)} (${Math.round(one.usual)})`
const names = [...new Set(columns.flatMap((column) => [...column.keys()]))]
const head = [
  'longest wait of a second account, ms (without)',
  ...values.checkout.map((_, index) => `before ${index + 1}`),
  'now',
]
const table = [
  head,
  head.map(() => '---'),
  ...names.map((name) => [name, ...columns.map((column) => shown(column.get(name)))]),
]
const longest = percentile(
  [...columns.at(-1)!.values()].map((one) => one.longest),
  1,
)
const report = `Measured ${new Date().toISOString().slice(0, 10)}; the longest of all waits now is ${Math.round(longest)} ms.\n\n${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`
console.log(report)
if ([...columns.at(-1)!.values()].some(({ end }) => end === killed)) process.exitCode = 1
if (values.write) writeSection('hostile', report)
