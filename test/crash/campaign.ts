import { sql } from 'kysely'
import { type PlatformSimulator, startPlatformSimulator } from '../../simulator/simulator.ts'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { openDatabase } from '../../src/database/open.ts'
import { type DerivedPart, derivedParts, verifyDerived } from '../../src/operations/integrity/routes.ts'
import { type ChildService, startChildService } from '../child-service.ts'
import { createTestClient, type TestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'

export const campaignAdminKey = 'admin-key-of-the-crash-test'

const environmentOf = (simulator: PlatformSimulator, apiKey: string, copy: DatabaseCopy) => ({
  DATA_DIR: copy.options.dataDir,
  DATABASE_URL: copy.options.databaseUrl,
  ADMIN_API_KEY: campaignAdminKey,
  BOOTSTRAP_API_KEY: apiKey,
  // Two of the four jobs are queued.
  RUNNING_JOBS_MAX: '2',
  PLATFORMS: 'github,hackernews,stackexchange',
  GITHUB_TOKEN: 'a-token',
  GITHUB_API_URL: simulator.urls.github,
  HACKERNEWS_API_URL: simulator.urls.hackernews,
  STACKEXCHANGE_API_URL: simulator.urls.stackexchange,
  // Thirty rounds need more than the 300 requests a day that are allowed without a key.
  STACKEXCHANGE_API_KEY: 'a-key',
})

export interface CampaignOptions {
  /** Each is one job. */
  topics?: readonly string[]
  /** Of each job. */
  depth?: number
}

/** Jobs of some topics, for tests that kill or freeze the service, and the state that they must leave behind. */
export async function openCampaign({
  topics = ['dark mode', 'offline sync', 'csv export', 'keyboard shortcuts'],
  depth = 6,
}: CampaignOptions = {}) {
  const simulator = await startPlatformSimulator({ limits: 'none', latencyMs: 150, size: 420, seed: 7 })
  const apiKey = generateApiKey()
  const copies: DatabaseCopy[] = []
  const services = new Set<ChildService>()

  const start = async (copy: DatabaseCopy): Promise<ChildService> => {
    const service = await startChildService(environmentOf(simulator, apiKey, copy))
    services.add(service)
    return service
  }
  const clientOf = (service: () => ChildService): TestClient => createTestClient(() => service().url, apiKey)
  const newCopy = async () => {
    const copy = await copyDatabase()
    copies.push(copy)
    return copy
  }
  const startJobs = async (client: TestClient): Promise<string[]> => {
    const started = await Promise.all(topics.map((topic) => client.scrape({ topic, depth })))
    return started.map(({ body }) => body.data.jobId)
  }
  return {
    simulator,
    apiKey,
    environmentOf: (copy: DatabaseCopy) => environmentOf(simulator, apiKey, copy),
    start,
    clientOf,
    newCopy,
    startJobs,
    /** The state that the same jobs leave behind without a disturbance. */
    undisturbedRun: async <State>(read: (copy: DatabaseCopy) => Promise<State>) => {
      const copy = await newCopy()
      const service = await start(copy)
      const client = clientOf(() => service)
      for (const jobId of await startJobs(client)) await client.waitForJob(jobId, 300_000)
      await service.end('SIGTERM')
      return read(copy)
    },
    close: async () => {
      // No other signal ends a frozen process.
      for (const service of services) await service.end('SIGKILL')
      await simulator.stop()
      for (const copy of copies) await copy.remove()
    },
  }
}

const failTest = (error: Error) => {
  throw error
}

interface Credits {
  pool_held: number
  pool_settled: number
  pages: number
  open: number
}

/** The state of a database after its jobs, read without the service. */
export async function readState(copy: DatabaseCopy) {
  const { database, backend, close } = await openDatabase({ ...copy.options, onCrash: failTest })
  const derived = async (part: DerivedPart) => (await verifyDerived(database, part, { backend, limit: 10 })).wrong
  const read = async <T>(query: ReturnType<typeof sql<T>>) => (await query.execute(database)).rows
  const state = {
    requests: await read(sql`select platform, source_id, title, votes from requests order by 1, 2`),
    texts: await read(sql`select count(*) as texts from request_texts`),
    jobs: await read(sql`
      select topic, platform, state, pages, requests_found from scrape_tasks
      join scrape_jobs on scrape_jobs.id = job_id order by 1, 2`),
    found: await read(sql`
      select topic, count(*) as found from scrape_job_requests
      join (select id, topic from scrape_jobs) jobs on jobs.id = job_id group by topic, job_id order by 1`),
    created: await read(sql`
      select sum(requests_created) as created, (select count(*) from requests) as stored from scrape_tasks`),
    credits: await read(sql<Credits>`
      select pool_held, pool_settled, (select sum(pages) from scrape_tasks) as pages,
        (select count(*) from credit_reservations where state = 'open') as open from credit_balances`),
    differences: [await verifyLedger(database), ...(await Promise.all(derivedParts.map(derived)))].flat(),
  }
  await close()
  return state
}
