import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../../simulator/random.ts'
import { type Answer, createTestClient, type TestClient } from '../client.ts'
import { openEvents } from '../event-reader.ts'

// Callers that do what callers do while processes are killed: they repeat what was not answered, with the same Idempotency-Key where it is no read.

export interface LoadOptions {
  url: string
  adminKey: string
  /** Of the account that starts the jobs. */
  apiKey: string
  /** A job each. */
  topics: readonly string[]
  depth: number
  seed: number
}

/** A call with an `Idempotency-Key`: the bodies of all its answers, which must be equal. */
export interface KeyedCall {
  key: string
  topic: string
  answers: string[]
}

/** A follower of a job: the ids of all events over all its connections. */
export interface Followed {
  jobId: string
  events: string[]
  connections: number
  /** The status of the job in its last event. */
  status: string
}

export interface LoadReport {
  /** How many calls of each kind were answered, and how many were lost with a process, with what their caller saw. */
  answered: Record<string, number>
  lost: Record<string, number>
  /** Answers that no caller should get. */
  faults: string[]
  jobs: KeyedCall[]
  followed: Followed[]
  expansions: KeyedCall[]
  realtime: KeyedCall[]
  merges: KeyedCall[]
  /** The ids of all requests in all answers. */
  shown: Set<string>
  /** The last acknowledged correction of each request. */
  corrected: Map<string, boolean>
  exports: number
  /** The accounts of the load beside that of the jobs. */
  accounts: Record<'reader' | 'corrector' | 'live', LoadAccount>
}

export interface LoadAccount {
  accountId: string
  apiKey: string
}

/** What the load balancer says itself; the answers of the service are JSON. */
const isLost = ({ status, headers }: Answer) =>
  [502, 503].includes(status) && headers.get('content-type')?.startsWith('text/plain') === true

class Load {
  readonly report: LoadReport
  readonly options: LoadOptions
  readonly #random: Random
  stopped = false

  constructor(options: LoadOptions, accounts: LoadReport['accounts']) {
    this.options = options
    this.#random = createRandom(options.seed)
    this.report = {
      answered: {},
      lost: {},
      faults: [],
      jobs: [],
      followed: [],
      expansions: [],
      realtime: [],
      merges: [],
      shown: new Set(),
      corrected: new Map(),
      exports: 0,
      accounts,
    }
  }

  client = (apiKey: string): TestClient => createTestClient(() => this.options.url, apiKey)
  pick = <T>(list: readonly T[]): T => this.#random.pick(list)
  pause = (maxMs: number) => sleep(50 + this.#random.next() * maxMs)

  /** Makes a call once. @returns null when it was lost with its process. */
  async try(kind: string, make: () => Promise<Answer>, accepted: readonly number[] = [200]): Promise<Answer | null> {
    const answer = await make().catch((error: Error) => error)
    const { answered, lost, faults } = this.report
    if (answer instanceof Error || isLost(answer)) {
      const reason = answer instanceof Error ? `${answer.message}, ${answer.cause}` : answer.text
      lost[`${kind}: ${reason}`] = (lost[`${kind}: ${reason}`] ?? 0) + 1
      return null
    }
    answered[kind] = (answered[kind] ?? 0) + 1
    if (!accepted.includes(answer.status)) faults.push(`${kind}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return answer
  }

  /** Repeats a call until it has one of the final statuses. */
  async repeat(kind: string, make: () => Promise<Answer>, final = [200], repeated: number[] = []): Promise<Answer> {
    for (;;) {
      const answer = await this.try(kind, make, [...final, ...repeated])
      if (answer !== null && !repeated.includes(answer.status)) return answer
      await this.pause(300)
    }
  }

  show(results: readonly { _id: string }[]): void {
    for (const { _id } of results) this.report.shown.add(_id)
  }
}

/** The lines of an export as one answer: the test client would read them as one JSON value. */
async function fetchExport(url: string, apiKey: string): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/requests/export?include=all`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  const { status, headers } = response
  return { status, headers, body: null, text: await response.text() }
}

const keyed = (client: TestClient, path: string, key: string, body: object) => () =>
  client.send('POST', path, {
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })

/** Follows a job to its end, over as many connections as it takes. */
async function follow(load: Load, jobId: string): Promise<void> {
  const followed: Followed = { jobId, events: [], connections: 0, status: '' }
  load.report.followed.push(followed)
  while (followed.status === '') {
    followed.connections += 1
    try {
      const reader = await openEvents(load.options, jobId, followed.events.at(-1))
      await reader.until(({ id, event, data }) => {
        followed.events.push(id)
        if (event === 'end') followed.status = data.status
        return event === 'end'
      })
      reader.close()
    } catch {
      await load.pause(300)
    }
  }
}

/** Starts a job for each topic, makes each call at least twice, and follows each job. */
async function startJobs(load: Load): Promise<void> {
  const { apiKey, topics, depth } = load.options
  const client = load.client(apiKey)
  const following: Promise<void>[] = []
  for (const topic of topics) {
    const job: KeyedCall = { key: `job-${topic.replaceAll(' ', '-')}`, topic, answers: [] }
    load.report.jobs.push(job)
    const start = keyed(client, '/api/v1/scrape', job.key, { topic, depth })
    for (let call = 0; call < 2; call++) job.answers.push((await load.repeat('job', start)).text)
    following.push(follow(load, JSON.parse(job.answers[0]!).data.jobId))
    await load.pause(4_000)
  }
  await Promise.all(following)
  for (const job of load.report.jobs) {
    const start = keyed(client, '/api/v1/scrape', job.key, { topic: job.topic, depth })
    job.answers.push((await load.repeat('job', start)).text)
  }
}

async function read(load: Load): Promise<void> {
  const client = load.client(load.report.accounts.reader.apiKey)
  while (!load.stopped) {
    const topic = encodeURIComponent(load.pick(load.options.topics))
    const found = await load.try('search', () => client.search(decodeURIComponent(topic), { include: 'maybe' }))
    load.show(found?.body.data?.results ?? [])
    const listed = await load.try('list', () => client.get(`/api/v1/requests?topic=${topic}&limit=50&include=all`))
    load.show(listed?.body.data?.results ?? [])
    await load.pause(500)
  }
}

/** Exports everything again and again: what a complete export had, each later one has too, once. */
async function exportAll(load: Load): Promise<void> {
  const { apiKey } = load.report.accounts.reader
  let before = new Set<string>()
  while (!load.stopped) {
    const answer = await load.try('export', () => fetchExport(load.options.url, apiKey))
    if (answer?.status === 200) {
      const records: { _id: string }[] = answer.text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
      const ids = new Set(records.map(({ _id }) => _id))
      if (ids.size < records.length) load.report.faults.push(`export: ${records.length - ids.size} records twice`)
      const missing = [...before].filter((id) => !ids.has(id))
      if (missing.length > 0) load.report.faults.push(`export: ${missing.length} of ${before.size} records are gone`)
      load.show(records)
      load.report.exports += 1
      before = ids
    }
    await load.pause(2_000)
  }
}

async function correct(load: Load): Promise<void> {
  const client = load.client(load.report.accounts.corrector.apiKey)
  for (let call = 0; !load.stopped; call++) {
    const shown = [...load.report.shown]
    if (shown.length > 2) {
      const [id, other] = [load.pick(shown), load.pick(shown)]
      const isRequest = call % 3 > 0
      const correction = { requestId: id, isRequest }
      await load.repeat('correction', () => client.post('/api/v1/corrections/requests', correction))
      load.report.corrected.set(id, isRequest)
      const merge: KeyedCall = { key: `merge-${call}`, topic: other, answers: [] }
      load.report.merges.push(merge)
      // A wish that was joined with another one meanwhile is a 404.
      const body = { kind: 'merge', wishId: id, otherWishId: other }
      const make = keyed(client, '/api/v1/corrections/wishes', merge.key, body)
      for (let time = 0; time < 2; time++) {
        const answer = await load.repeat('merge', make, [200, 400, 404, 409])
        if (answer.status === 200) merge.answers.push(answer.text)
      }
    }
    await load.pause(800)
  }
}

/** The statuses after which a live call with a key is made again: it still runs, or it ended without an effect. */
const repeatedLive = [409, 429, 503]

async function collectLive(load: Load): Promise<void> {
  const client = load.client(load.report.accounts.live.apiKey)
  for (let call = 0; !load.stopped; call++) {
    // A fresh topic would be answered from what is stored, for nothing.
    const topic = `${load.pick(load.options.topics)} ${call}`
    const isExpansion = call % 2 === 0
    const live: KeyedCall = { key: `live-${call}`, topic, answers: [] }
    load.report[isExpansion ? 'expansions' : 'realtime'].push(live)
    const answer = await load.try('live', () => callLive(client, live, isExpansion), [200, ...repeatedLive])
    if (answer?.status === 200) {
      live.answers.push(answer.text)
      load.show(answer.body.data.results)
    }
    await load.pause(1_500)
  }
}

function callLive(client: TestClient, { key, topic }: KeyedCall, isExpansion: boolean): Promise<Answer> {
  if (isExpansion) return keyed(client, '/api/v1/requests/search', key, { query: topic, expand: true })()
  const path = `/api/v1/requests?source=realtime&topic=${encodeURIComponent(topic)}`
  return client.send('GET', path, { headers: { 'idempotency-key': key } })
}

export interface RunningLoad {
  report: LoadReport
  /** Resolves when all jobs have ended and all their calls were answered. */
  jobsEnded: Promise<void>
  /** Ends the other callers. */
  stop(): Promise<void>
  /** Makes the live calls again until each is answered; only when no call of a dead process is open. */
  repeatLive(): Promise<void>
}

/** Starts the callers: one each of jobs, reads, exports, corrections and live calls. */
export async function startMixedLoad(options: LoadOptions): Promise<RunningLoad> {
  const admin = createTestClient(() => options.url, options.adminKey)
  const account = async (name: string): Promise<LoadAccount> =>
    (await admin.post('/api/admin/accounts', { name, tier: 'max' })).body.data
  const accounts = {
    reader: await account('reader'),
    corrector: await account('corrector'),
    live: await account('live'),
  }
  const load = new Load(options, accounts)
  const others = [read(load), exportAll(load), correct(load), collectLive(load)]
  const { report } = load
  return {
    report,
    jobsEnded: startJobs(load),
    stop: async () => {
      load.stopped = true
      await Promise.all(others)
    },
    repeatLive: async () => {
      const client = load.client(accounts.live.apiKey)
      for (const live of [...report.expansions, ...report.realtime]) {
        const isExpansion = report.expansions.includes(live)
        const answer = await load.repeat('live', () => callLive(client, live, isExpansion), [200], repeatedLive)
        live.answers.push(answer.text)
      }
    },
  }
}
