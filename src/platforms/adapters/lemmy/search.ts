import { endpointUrl } from '../../client/client.ts'
import { asDate, asFields, type Fields } from '../../content/fields.ts'
import { readItems } from '../../content/items.ts'
import type { AdapterDependencies } from '../../definition.ts'
import type { Json, Page, PageRequest, Platform } from '../../platform.ts'
import { searchWords } from '../../topic-words.ts'
import { reachesOlder } from '../newest-first.ts'
import { requiredList } from '../required-list.ts'
import { fetchRoundRobin, type SourcePage } from '../round-robin.ts'
import { lemmyError } from './errors.ts'
import { createInstances, type Instance } from './instance.ts'
import { readPostView } from './post.ts'
import { cursorAfter, lemmyQuery, lemmyRequest, viewsOf, type WishPattern, wishPatterns } from './queries.ts'
import { type ApiVersions, createApiVersions } from './version.ts'

export interface LemmyOptions extends AdapterDependencies {
  /** The base addresses of the instances, searched round-robin, a page each. */
  urls: readonly string[]
}

interface Context extends LemmyOptions {
  versions: ApiVersions
}

/** One instance, searched for one pattern. */
interface Source {
  instance: Instance
  pattern: WishPattern
}

/**
 * Posts that the configured instances hold, with one of the wish phrases (`wish-phrases.ts`) before or after the words of the
 * topic, the most votes first or what is new first, 50 a page (`GET /api/v3/search`; from Lemmy 1.0 `GET /api/v4/post/list?search_term=`).
 *
 * Lemmy's search is one pattern over title or body: a space stands for anything in between, the order counts, and a quote is
 * an ordinary character (`fuzzy_search`). It has no operators, and it finds the words within other words: the results are
 * checked on word boundaries later.
 */
export function createLemmy(options: LemmyOptions): Platform {
  const { urls, openBudget } = options
  const context: Context = { ...options, versions: createApiVersions(options) }
  const sources = sourcesOf(createInstances(urls, openBudget))

  async function fetchPage(request: PageRequest): Promise<Page | null> {
    const words = searchWords(request.topic).join(' ')
    if (words === '') return null
    return fetchRoundRobin({
      sources: [...sources.keys()],
      request,
      // Each job begins at another instance, always with the first pattern. Newest first the patterns take turns, too: each is asked once a round.
      ...(request.newestSince ? {} : { firstSource: urls.length === 0 ? 0 : request.pagesBefore % urls.length }),
      hostOf: (key) => sources.get(key)!.instance.name,
      fetchFrom: (key, cursor) => fetchSource(context, sources.get(key)!, words, cursor, request),
    })
  }

  return { name: 'lemmy', fetchPage }
}

/** Every instance with every pattern, all instances with the first pattern before any with the second. */
function sourcesOf(instances: readonly Instance[]): Map<string, Source> {
  const keyOf = ({ baseUrl }: Instance, { phrase, isAfter }: WishPattern) => `${baseUrl} ${isAfter ? '…' : ''}${phrase}`
  return new Map(
    wishPatterns.flatMap((pattern) =>
      instances.map((instance) => [keyOf(instance, pattern), { instance, pattern }] as const),
    ),
  )
}

async function fetchSource(
  { client, clock, versions }: Context,
  { instance, pattern }: Source,
  words: string,
  cursor: Json,
  { signal, newestSince }: PageRequest,
): Promise<SourcePage> {
  const query = lemmyQuery(pattern, words)
  if (query === null) return { requests: [], nextCursor: null }
  const label = `lemmy (${instance.name})`
  const version = await versions.of(instance, signal)
  const ageMs = newestSince ? clock.now().getTime() - newestSince.getTime() : null
  const { path, parameters } = lemmyRequest(version, query, cursor, ageMs)
  const { body } = await client.getJson({
    platform: 'lemmy',
    label,
    url: endpointUrl(instance.baseUrl, path, parameters),
    budget: instance.budget,
    signal,
    readError: (answer) => lemmyError(answer, label, clock.now()),
  })
  const answer = asFields(body)
  const views = requiredList(viewsOf(answer), { label, items: 'posts', variable: 'LEMMY_URLS' })
  const { requests, discarded } = await readItems(views, readPostView)
  // Version 3 has no parameter for an instant.
  const isOver = reachesOlder(views, publishedAt, newestSince)
  return { requests, discarded, nextCursor: isOver ? null : cursorAfter(version, answer, views, cursor) }
}

function publishedAt(view: Fields): Date | null {
  const post = asFields(view.post)
  return asDate(post?.published) ?? asDate(post?.published_at)
}
