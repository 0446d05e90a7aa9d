import { fileURLToPath } from 'node:url'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { openDatabase } from '../../src/database/open.ts'
import { derivedParts, verifyDerived } from '../../src/operations/integrity/routes.ts'
import { createTestClient } from '../client.ts'
import type { ContractOptions, ContractService } from '../contract/contract-service.ts'
import { copyDatabase } from '../database.ts'
import { testAdminKey, threePlatforms, unreachablePlatforms } from '../service.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { createKills } from './kills.ts'

const program = [fileURLToPath(new URL('./contract-process.ts', import.meta.url))]

/** A task of a killed worker is given to another one after half a minute. */
const jobTimeoutMs = 120_000

const failTest = (error: Error) => {
  throw error
}

/** @throws with the first thing that is wrong in a database at rest. */
async function requireSound(opened: Awaited<ReturnType<typeof openDatabase>>): Promise<void> {
  const { database, backend } = opened
  const findings: Record<string, readonly unknown[]> = { ledger: await verifyLedger(database) }
  for (const part of derivedParts) findings[part] = (await verifyDerived(database, part, { backend, limit: 10 })).wrong
  const wrong = Object.entries(findings).filter(([, found]) => found.length > 0)
  if (wrong.length > 0) throw new Error(`not sound after the kills: ${JSON.stringify(wrong)}`)
}

/**
 * Starts two api and two worker processes behind a load balancer, each of which is killed once between the calls of the test file (`kills.ts`). `stop` throws when
 * not all were killed, when one of them did not end well, or when the ledger or what is derived from the requests is wrong.
 */
export async function startRoundRobinService(options: ContractOptions): Promise<ContractService> {
  const { environment, platformsFrom, callsBetweenKills } = options
  const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  const copy = await copyDatabase()
  const apiKey = generateApiKey()
  let deployment: Deployment | null = null
  const kills = createKills({ seed, callsBetween: callsBetweenKills, deployment: () => deployment! })
  const opened = await openDatabase({ ...copy.options, poolSize: 2, onCrash: failTest })
  deployment = await startDeployment({
    program,
    beforeCall: kills.beforeCall,
    environment: {
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'error',
      DATA_DIR: copy.options.dataDir,
      DATABASE_URL: copy.options.databaseUrl,
      BOOTSTRAP_API_KEY: apiKey,
      ADMIN_API_KEY: testAdminKey,
      TRUST_PROXY: '127.0.0.1',
      PLATFORMS: threePlatforms.join(','),
      ...unreachablePlatforms,
      ...environment,
      TEST_PLATFORMS: platformsFrom,
    },
  })
  const { url, balancer, processes, end, close } = deployment
  const clientFor = (key: string | null) => createTestClient(() => url, key, jobTimeoutMs)
  return {
    url,
    get processUrl() {
      return processes.find(({ role, isRunning }) => role === 'api' && isRunning)!.service.url
    },
    apiKey,
    client: clientFor(apiKey),
    clientFor,
    database: opened.database,
    stop: async () => {
      try {
        const killed = await kills.settled()
        const answered = [...balancer.answered.values()].join(' + ')
        console.log(`killed ${killed.join(', ')} (TEST_SEED=${seed}); calls answered by each process: ${answered}`)
        if (killed.length < processes.length) throw new Error('the file has too few calls to kill each process once')
        const codes = await end()
        if (codes.some((code) => code !== 0)) throw new Error(`the processes ended with ${codes.join(', ')}`)
        await requireSound(opened)
      } finally {
        await close()
        await opened.close()
        await copy.remove()
      }
    },
  }
}
