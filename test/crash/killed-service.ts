import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { type OpenDatabase, openDatabase } from '../../src/database/open.ts'
import { childEnvironment } from '../child-environment.ts'
import { createTestClient, type TestClient } from '../client.ts'
import { copyDatabase, type DatabaseCopy } from '../database.ts'

const program = fileURLToPath(new URL('./dying-service.ts', import.meta.url))

export interface KilledService {
  /** Of the process that runs now. */
  readonly client: TestClient
  /** Starts the service on the database of the file, to die after so many statements; 0 means never. */
  start(dieAfter: number): Promise<ChildProcess>
  /** Opens that database while no service runs. */
  open(): Promise<OpenDatabase>
}

/** A service that is killed and started again, on one database for a file of tests. */
export function killedService(): KilledService {
  const apiKey = generateApiKey()
  let copy: DatabaseCopy
  let child: ChildProcess | null = null
  let url = ''
  beforeAll(async () => {
    copy = await copyDatabase()
  })
  afterAll(async () => {
    child?.kill('SIGKILL')
    await copy.remove()
  })
  return {
    client: createTestClient(() => url, apiKey),
    start: async (dieAfter) => {
      const started = fork(program, {
        execArgv: ['--disable-warning=ExperimentalWarning'],
        env: {
          ...childEnvironment,
          PORT: '0',
          DATA_DIR: copy.options.dataDir,
          ...(copy.options.databaseUrl ? { DATABASE_URL: copy.options.databaseUrl } : {}),
          ADMIN_API_KEY: 'admin-key-of-the-crash-test',
          BOOTSTRAP_API_KEY: apiKey,
        },
      })
      child = started
      url = ((await once(started, 'message'))[0] as { url: string }).url
      started.send({ dieAfter })
      await once(started, 'message')
      return started
    },
    open: () =>
      openDatabase({
        ...copy.options,
        onCrash: (error) => {
          throw error
        },
      }),
  }
}
