import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../runtime/clock.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { PlatformError, SourceRefusedError, SourceUnavailableError } from '../../platform.ts'
import { decodeFeed } from '../rss/decode.ts'
import { type AppFacts, type AppstoreCall, lookUp } from './lookup.ts'
import { type PageForm, pageForms, type ReviewPage, readJsonPage, readXmlPage } from './pages.ts'
import type { App } from './source.ts'

const maxBytes = 5 * 1024 * 1024
/** How long an empty page is remembered, and when to retry. */
const outageMs = 60_000
/** App names change with versions. */
const nameMs = 24 * 60 * 60_000
const maxRemembered = 1_000

const none: ReviewPage = { reviews: [], hasNext: false }
/** Errors of an alternative form that only mean it does not exist, because the first form was answered. */
const absences: ReadonlySet<string> = new Set(['blocked', 'unauthorized', 'bad_response'])

export interface Asked {
  call: AppstoreCall
  app: App
  page: number
  /** What the reader of an error message can change. */
  advice: string
}

export interface Reader {
  /** @throws SourceUnavailableError if a rated app shows no reviews; SourceRefusedError if there is no such app */
  readPage(asked: Asked): Promise<ReviewPage>
  /** @throws SourceRefusedError if there is no such app */
  factsOf(asked: Asked): Promise<AppFacts>
  /** Null if unknown now, which is no reason to lose a page. */
  nameOf(asked: Asked): Promise<string | null>
}

const sourceOf = ({ app }: Asked) => `${app.country}/${app.id}`

/** Fetches a page in one form; empty if it does not exist. @throws PlatformError if the answer is no review feed */
async function readForm(form: PageForm, url: URL, { call, app, page, advice }: Asked): Promise<ReviewPage> {
  const { client, budget, signal } = call
  const label = `appstore (${app.country}/${app.id})`
  const isAbsent = ({ status }: Answer) => status === 400 || status === 404
  const { body } = await client
    .getJson({
      ...{ platform: 'appstore', label, url, budget, signal, maxBodyBytes: maxBytes },
      ...(form.isXml ? { headers: { accept: 'application/atom+xml, */*;q=0.1' }, parseBody: decodeFeed } : {}),
      readError: (answer) => (isAbsent(answer) ? new SourceRefusedError(`${label} has no page ${page}.`) : null),
    })
    .catch((error: unknown) => {
      if (error instanceof SourceRefusedError) return { body: { feed: {} } }
      throw error
    })
  const read = typeof body === 'string' ? await readXmlPage(body, page, signal) : readJsonPage(body, page)
  if (read === null) throw new PlatformError('bad_response', `${label} answered no feed of reviews. ${advice}`)
  return read
}

/** Remembers recent answers, so a task that waits for its budget resumes where it stopped. */
export function createReader(clock: Clock): Reader {
  const forATime = { max: maxRemembered, ttlResolution: 0, perf: { now: () => clock.now().getTime() } }
  const empty = new LRUCache<string, true>(forATime)
  const facts = new LRUCache<string, AppFacts | 'unknown'>(forATime)

  async function readOnce(form: PageForm, asked: Asked): Promise<ReviewPage> {
    const url = endpointUrl(asked.call.baseUrl, form.path(asked.app, asked.page), {})
    if (empty.get(url.href)) return none
    const read = await readForm(form, url, asked)
    if (read.reviews.length === 0) empty.set(url.href, true, { ttl: outageMs })
    return read
  }

  async function factsOf(asked: Asked): Promise<AppFacts> {
    const known = facts.get(sourceOf(asked))
    if (known !== undefined && known !== 'unknown') return known
    const found = await lookUp(asked.call, asked.app, asked.advice)
    // An unrated app may be rated at any time.
    facts.set(sourceOf(asked), found, { ttl: found.ratings === 0 ? outageMs : nameMs })
    return found
  }

  async function nameOf(asked: Asked): Promise<string | null> {
    if (facts.get(sourceOf(asked)) === 'unknown') return null
    try {
      return (await factsOf(asked)).name
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === 'cancelled') throw error
      facts.set(sourceOf(asked), 'unknown', { ttl: outageMs })
      return null
    }
  }

  /** An empty first page of a rated app counts as an outage: all forms can lack its reviews for hours. */
  async function readPage(asked: Asked): Promise<ReviewPage> {
    const [usual, ...others] = pageForms
    const first = await readOnce(usual!, asked)
    if (first.reviews.length > 0) return first
    if (asked.page === 1 && (await factsOf(asked)).ratings === 0) return none
    for (const form of others) {
      const other = await readOnce(form, asked).catch((error: unknown) => {
        if (error instanceof PlatformError && !error.retryAt && absences.has(error.code)) return none
        throw error
      })
      if (other.reviews.length > 0) return other
    }
    if (asked.page > 1) return none
    throw new SourceUnavailableError(
      `appstore (${sourceOf(asked)}) has no reviews now, although people rated the app. Try again later.`,
      new Date(clock.now().getTime() + outageMs),
    )
  }

  return { readPage, factsOf, nameOf }
}
