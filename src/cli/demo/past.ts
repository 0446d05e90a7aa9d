import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { readConfig } from '../../app/config.ts'
import { type Service, startService } from '../../app/service.ts'
import type { Mailbox } from './mailbox.ts'

// What the demo's service did a week ago: without a past, nothing could have grown and no watch could have news.

export const pastMs = 8 * 86_400_000

/** A call of the API. @throws if refused */
export type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Record<string, never>>

/** Calls the service as its first account, or as operator. */
export const callerOf =
  (url: string, key: string): Call =>
  async (method, path, body) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${key}`, ...type }
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!answer.ok)
      throw new Error(`the service answered ${answer.status} to ${method} ${path}: ${await answer.text()}`)
    return ((await answer.json()) as { data: Record<string, never> }).data
  }

async function waitForJob(call: Call, { jobId }: Record<string, string>): Promise<void> {
  while ((await call('GET', `/api/v1/scrape/${jobId}`)).completedAt === null) await delay(300)
}

/** Waits for this many unread reports of the only watch. @throws if there are fewer after a minute. */
async function waitForReports(call: Call, least: number): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    const { results: watches } = (await call('GET', '/api/v1/news')) as unknown as { results: { reports: number }[] }
    if ((watches[0]?.reports ?? 0) >= least) return
    // Calls of an account are limited.
    await delay(1_000)
  }
  throw new Error('the watch has no news')
}

/** Waits for the watch's news: its own due run finds what is new, recollecting the topic finds changes. */
export async function waitForNews(call: Call, watchId: string, watched: string): Promise<void> {
  await waitForReports(call, 1)
  await waitForJob(call, await call('POST', '/api/v1/scrape', { topic: watched, depth: 3 }))
  await call('POST', `/api/v1/watches/${watchId}/run`)
  await waitForReports(call, 2)
}

interface Past {
  /** Called with the starting service, so that it can be ended with the demo. */
  onStart(starting: Promise<Service>): void
  environment: Record<string, string>
  apiKey: string
  topics: readonly string[]
  watched: string
  /** Null if the caller has a mail server. */
  mailbox: Mailbox | null
}

/** Creates and confirms a channel to the mailbox. @returns its id. */
async function makeChannel(url: string, call: Call, mailbox: Mailbox): Promise<string> {
  const mail = { type: 'email', name: 'The mailbox of the demo', address: 'you@demo.example' }
  const { channelId } = await call('POST', '/api/v1/channels', mail)
  const [path] = await mailbox.waitFor(/\/mail\/confirm\/\S+/)
  // Directly, because links may point to another machine.
  const confirmed = await fetch(`${url}${path}`, { method: 'POST' })
  if (!confirmed.ok) throw new Error(`the service answered ${confirmed.status} to the confirmation of a mailbox`)
  return channelId!
}

/** Collects topics and runs a watch, as a service eight days ago. @returns the watch's id. */
export async function liveThePast({ onStart, environment, apiKey, topics, watched, mailbox }: Past): Promise<string> {
  const clock = { now: () => new Date(Date.now() - pastMs) }
  const overrides = { clock, platforms: { timeScale: 10_000 } }
  const { promise: crash, reject: onCrash } = Promise.withResolvers<never>()
  const starting = startService(readConfig(environment), pino({ level: 'silent' }), onCrash, overrides)
  onStart(starting)
  const service = await starting
  const live = async () => {
    const call = callerOf(service.address!, apiKey)
    const channelIds = mailbox === null ? [] : [await makeChannel(service.address!, call, mailbox)]
    const watch = { topic: watched, name: 'What people want', schedule: 'weekly', depth: 3, channelIds }
    const { watchId } = await call('POST', '/api/v1/watches', watch)
    const jobs = [await call('POST', `/api/v1/watches/${watchId}/run`)]
    for (const topic of topics) jobs.push(await call('POST', '/api/v1/scrape', { topic, depth: 3 }))
    for (const job of jobs) await waitForJob(call, job)
    await service.placeRequests()
    await service.reportNews()
    await service.deliverEvents()
    await call('POST', '/api/v1/news/read', { watchId })
    return watchId!
  }
  return Promise.race([live(), crash]).finally(service.stop)
}
