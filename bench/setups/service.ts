import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const apiKey = `ww_live_${'b'.repeat(32)}`
const adminKey = 'admin-key-of-the-bench'

export const searchPath = '/api/v1/requests/search'
export const searchHeaders = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

export interface Answer {
  results: { sourceUrl: string }[]
  /** Whether the database answered because the index of the process was not ready or too far behind. */
  isIndexBuilding: boolean
}

interface Readiness {
  searchIndex?: { state: string }
}

interface ClusterIndex {
  state: string
  unreadChanges: number
  bytes: number | null
}

/** A service in a process of its own, which computes every response. */
export interface RunningService {
  url: string
  pid: number
  /** @throws when the service cannot answer. */
  search(body: Record<string, unknown>): Promise<Answer>
  /** Empty while it is not ready. */
  readiness(): Promise<Readiness>
  /** The indexes in a search cluster. */
  clusterIndexes(): Promise<ClusterIndex[]>
  stop(): Promise<void>
}

const file = fileURLToPath(new URL('../service-process.ts', import.meta.url))
/** Only searches are measured; bench/wishes.ts measures how requests are placed in wishes, and searches meanwhile. */
const overrides = { cachesResponses: false, placesRequests: false }

export async function startService(environment: Record<string, string>): Promise<RunningService> {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: adminKey,
    REFRESH_REQUESTS: 'false',
    ...environment,
  }
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const child = fork(file, [JSON.stringify(overrides)], {
    execArgv,
    env,
    // Its log is none of the results.
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error('the service ended')
  })
  ended.catch(() => {})
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }]
  const readAsAdmin = async (path: string) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${adminKey}` } })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json() as unknown
  }
  return {
    url,
    pid: child.pid!,
    search: async (body) => {
      const response = await fetch(url + searchPath, {
        method: 'POST',
        headers: searchHeaders,
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${JSON.stringify(body)}: ${response.status} ${await response.text()}`)
      const { data, meta } = (await response.json()) as {
        data: { results: Answer['results'] }
        meta: { searchIndex?: 'building' }
      }
      return { results: data.results, isIndexBuilding: meta.searchIndex !== undefined }
    },
    readiness: async () => {
      const response = await fetch(`${url}/readyz`)
      return response.ok ? ((await response.json()) as Readiness) : {}
    },
    clusterIndexes: async () => {
      const { data } = (await readAsAdmin('/api/admin/search-index')) as { data: { indexes: ClusterIndex[] } }
      return data.indexes
    },
    stop: async () => {
      if (!child.connected) return
      child.disconnect()
      await ended.catch(() => {})
    },
  }
}
