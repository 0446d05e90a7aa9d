import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asPage } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import {
  type Json,
  type Page,
  type PageRequest,
  type Platform,
  PlatformError,
  SourceRefusedError,
  SourceUnavailableError,
} from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { reachesOlder } from '../newest-first.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { decodeFeed } from '../rss/decode.ts'
import { type AppFacts, type AppstoreCall, lookUp } from './lookup.ts'
import { type PageForm, pageForms, type ReviewPage, readJsonPage, readXmlPage } from './pages.ts'
import { createRecent } from './recent.ts'
import { readReview, reviewedAt } from './review.ts'
import { type App, appOf, appstoreSources } from './source.ts'

export interface AppstoreOptions extends AdapterDependencies {
  baseUrl: string
  /** The apps whose reviews are read, round-robin, a page each. */
  apps: readonly string[]
}

/** About twenty calls a minute are known to be allowed for searches of apps; of reviews nothing is known. */
const windows = [{ limit: 20, windowMs: 60_000 }]
const maxBytes = 5 * 1024 * 1024
/** How long an empty page stays known, and when it is asked for again. */
const outageMs = 60_000
/** Names of apps change with their versions. */
const nameMs = 24 * 60 * 60_000

const none: ReviewPage = { reviews: [], hasNext: false }
/** Of another form of a page: they say that it is not there, while the first form was answered. */
const absences: ReadonlySet<string> = new Set(['blocked', 'unauthorized', 'bad_response'])

/** What a form of a page is asked with. */
interface Asked {
  call: AppstoreCall
  app: App
  page: number
  /** What the reader of a message can change. */
  advice: string
}

/**
 * The reviews of the configured apps, the newest first (`/{country}/rss/customerreviews/`; at most 10 pages of 50). There is no search of
 * reviews, so all of them are read, and the topic is looked for in them. Known reviews cannot be read again.
 */
export function createAppstore({ client, clock, openBudget, baseUrl, ...options }: AppstoreOptions): Platform {
  const budget = openBudget({ name: new URL(baseUrl).host, windows, concurrency: 1 })
  const apps = options.apps.map((app) => appstoreSources.normalise(app) ?? app)
  const listed = new Set(apps)
  // A task that waits for its budget in between goes on where it was.
  const empty = createRecent<true>({ clock, maximum: 1_000 })
  const facts = createRecent<AppFacts | null>({ clock, maximum: 1_000 })

  /** A page in one form; an empty one where there is none. @throws PlatformError for what is no feed of reviews */
  async function readForm(form: PageForm, { call, app, page, advice }: Asked): Promise<ReviewPage> {
    const url = endpointUrl(baseUrl, form.path(app, page), {})
    if (empty.get(url.href)) return none
    const label = `appstore (${app.country}/${app.id})`
    const isAbsent = ({ status }: Answer) => status === 400 || status === 404
    const { body } = await client
      .getJson({
        platform: 'appstore',
        label,
        url,
        budget,
        signal: call.signal,
        maxBodyBytes: maxBytes,
        ...(form.isXml ? { headers: { accept: 'application/atom+xml, */*;q=0.1' }, parseBody: decodeFeed } : {}),
        readError: (answer) => (isAbsent(answer) ? new SourceRefusedError(`${label} has no page ${page}.`) : null),
      })
      .catch((error: unknown) => {
        if (error instanceof SourceRefusedError) return { body: { feed: {} } }
        throw error
      })
    const read = typeof body === 'string' ? readXmlPage(body, page) : readJsonPage(body, page)
    if (read === null) throw new PlatformError('bad_response', `${label} answered no feed of reviews. ${advice}`)
    if (read.reviews.length === 0) empty.set(url.href, true, outageMs)
    return read
  }

  async function factsOf({ call, app, advice }: Asked): Promise<AppFacts> {
    const source = `${app.country}/${app.id}`
    const known = facts.get(source)
    if (known) return known
    const found = await lookUp(call, app, advice)
    // One that nobody rated may be rated at any time.
    facts.set(source, found, found.ratings === 0 ? outageMs : nameMs)
    return found
  }

  /** The name is no reason to lose a page. */
  async function nameOf(asked: Asked): Promise<string | null> {
    const source = `${asked.app.country}/${asked.app.id}`
    if (facts.get(source) === null) return null
    try {
      return (await factsOf(asked)).name
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === 'cancelled') throw error
      facts.set(source, null, outageMs)
      return null
    }
  }

  /**
   * A page in the first form that has it. The first page of an app that people rated is never taken for empty: its reviews may be missing
   * in every form, for hours, and to say that there are none would be wrong.
   */
  async function readPage(asked: Asked): Promise<ReviewPage> {
    const [usual, ...others] = pageForms
    const first = await readForm(usual!, asked)
    if (first.reviews.length > 0) return first
    if (asked.page === 1 && (await factsOf(asked)).ratings === 0) return none
    for (const form of others) {
      const other = await readForm(form, asked).catch((error: unknown) => {
        if (error instanceof PlatformError && !error.retryAt && absences.has(error.code)) return none
        throw error
      })
      if (other.reviews.length > 0) return other
    }
    if (asked.page > 1) return none
    const { country, id } = asked.app
    throw new SourceUnavailableError(
      `appstore (${country}/${id}) has no reviews now, although people rated the app. Try again later.`,
      new Date(clock.now().getTime() + outageMs),
    )
  }

  const askedBy = (source: string, page: number, isNamed: boolean, signal: AbortSignal): Asked => ({
    call: { client, budget, baseUrl, signal },
    app: appOf(source),
    page,
    advice: isNamed ? 'Name another source.' : 'Check APPSTORE_APPS.',
  })

  async function fetchFrom(source: string, cursor: Json, request: PageRequest): Promise<SourcePage> {
    const isNamed = request.sources !== undefined
    const asked = askedBy(source, asPage(cursor, 1), isNamed, request.signal)
    const { reviews, hasNext } = await readPage(asked)
    const name = reviews.length === 0 ? null : await nameOf(asked)
    const { requests, discarded } = await readItems(reviews, (review) => readReview(review, asked.app, name))
    const isOver = !hasNext || reachesOlder(reviews, reviewedAt, request.newestSince)
    return {
      requests: isNamed && !listed.has(source) ? requests.map((found) => ({ ...found, ownSource: source })) : requests,
      discarded,
      nextCursor: isOver ? null : { page: asked.page + 1 },
    }
  }

  return {
    name: 'appstore',
    async fetchPage(request: PageRequest): Promise<Page | null> {
      if (searchWords(request.topic).length === 0) return null
      return fetchRoundRobin({
        sources: request.sources ?? apps,
        request,
        fetchFrom: (source, cursor) => fetchFrom(source, cursor, request),
      })
    },
    verifySource: async (source, signal) => {
      await factsOf(askedBy(source, 1, true, signal))
    },
  }
}
