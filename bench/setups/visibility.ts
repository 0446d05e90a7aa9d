import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Database } from '../../src/database/open.ts'
import { createLoader } from '../engines/load.ts'
import { percentile } from '../report.ts'
import { deleteOwnRequests, visibilityPrefix } from './own-requests.ts'
import type { Progress } from './progress.ts'
import type { Visibility } from './results.ts'
import type { RunningService } from './service.ts'

// How soon searches find what another process has stored.

/** Commits fall into any moment between two refreshes of an index. */
const maxPauseMs = 500
const timeoutMs = 60_000

const writerFile = fileURLToPath(new URL('writer-process.ts', import.meta.url))

/** Starts a writer of so many requests a second. @returns what ends it, with the requests a second that it stored */
async function startWriter(databaseUrl: string, perSecond: number): Promise<() => Promise<number>> {
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const child = fork(writerFile, [databaseUrl, String(perSecond)], { execArgv })
  await once(child, 'message')
  const since = performance.now()
  return async () => {
    child.send('stored')
    const [stored] = (await once(child, 'message')) as [number]
    const seconds = (performance.now() - since) / 1_000
    child.disconnect()
    await once(child, 'exit')
    return stored / seconds
  }
}

const letters = 'bcdfghjklmnpqrtvwxz'

/** A word that no other text has, not even one of an earlier run, and that has no other form. */
const newWord = () => Array.from({ length: 16 }, () => letters[Math.floor(Math.random() * letters.length)]!).join('')

type Store = Awaited<ReturnType<typeof createLoader>>

export interface VisibilityOptions {
  service: RunningService
  database: Database
  databaseUrl: string
  rounds: number
  /** Requests a second that a writer stores meanwhile; 0 for none. */
  written: number
  progress: Progress
}

/** Stores a request, and searches it until it is found. */
async function measureRound(word: string, store: Store, service: RunningService) {
  const id = `${visibilityPrefix}${word}`
  await store([{ id, title: `Visible ${word}`, description: '', votes: 0, topic: 'visibility' }])
  const committed = performance.now()
  for (;;) {
    const { results, isIndexBuilding: isByDatabase } = await service.search({ query: word, limit: 10 })
    const ms = performance.now() - committed
    if (results.some(({ sourceUrl }) => sourceUrl.endsWith(id))) return { ms, isByDatabase }
    if (ms > timeoutMs) throw new Error(`${word} was not found in a minute`)
  }
}

/** Stores requests one after the other, and searches each until it is found. */
export async function measureVisibility(options: VisibilityOptions): Promise<Visibility> {
  const { service, database, databaseUrl, rounds, written, progress } = options
  const store = await createLoader(database)
  const stopWriter = written === 0 ? async () => 0 : await startWriter(databaseUrl, written)
  const found: Awaited<ReturnType<typeof measureRound>>[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      await sleep(Math.random() * maxPauseMs)
      found.push(await measureRound(newWord(), store, service))
      progress.advance()
    }
  } catch (error) {
    await stopWriter()
    throw error
  }
  const otherwiseStored = await stopWriter()
  await deleteOwnRequests(database)
  const times = found.map(({ ms }) => ms)
  return {
    otherwiseStored,
    rounds,
    p50Ms: percentile(times, 0.5),
    maxMs: Math.max(...times),
    byDatabase: found.filter(({ isByDatabase }) => isByDatabase).length,
  }
}
