import type { Corpus, CorpusRecord } from '../corpus.ts'
import {
  type Answer,
  changeBody,
  jsonAnswer,
  type SearchContext,
  type SearchRequest,
  type SimulatedPlatform,
  wholeNumber,
  withParameters,
} from '../platform-shape.ts'
import { canonicalText } from '../query.ts'
import { otherRequestPhrases, requestPhrases } from '../vocabulary.ts'
import { type LemmyVersion, lemmyPostView, postUrl } from './lemmy-item.ts'

const maximumPageSize = 50
const defaultPageSize = 10
const shimPosts = 18
const searches = { limit: 60, windowMs: 600_000 }

/** Each is an instance of its own below the platform's address, with a version of its own. */
const versions: Record<string, LemmyVersion> = { orchard: '0.19', pebble: '0.18', thicket: '1.0' }
const instanceNames = Object.keys(versions)
/** A further instance, of version 1.0, whose operator has switched version 4 of the API off. */
const shimOnly = 'bramble'
const hasShim = (instance: string) => instance === shimOnly || versions[instance] === '1.0'
const hasVersion4 = (instance: string) => versions[instance] === '1.0'

const sitePath = /^\/([a-z]+)\/api\/v4\/site$/
const isList = (path: string) => path.endsWith('/api/v4/post/list')

/** `/pebble/api/v3/search`; null for what is no search. */
function instanceOf(path: string): string | null {
  const match = /^(?:\/([a-z]+))?\/api\/(?:v3\/search|v4\/post\/list)$/.exec(path)
  return match ? (match[1] ?? instanceNames[0]!) : null
}

/** Of version 4: a letter and the number of the page. */
const pageOfCursor = (cursor: string | null) => (cursor === null ? 1 : Number(/^P(\d{1,6})$/.exec(cursor)?.[1] ?? 1))

const phrases = [...requestPhrases, ...otherRequestPhrases].map((phrase) => phrase.toLowerCase())

/** Lemmy knows no phrases; a client that begins or ends with one wishes about the other words. */
function topicOf(q: string): string {
  const text = canonicalText(q)
  const before = phrases.find((candidate) => text.startsWith(`${candidate} `))
  if (before !== undefined) return text.slice(before.length).trim()
  const after = phrases.find((candidate) => text.endsWith(` ${candidate}`)) ?? ''
  return text.slice(0, text.length - after.length).trim()
}

/** One pattern over title or body, in whatever case: a space stands for anything in between. */
function matches(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  let end = 0
  return words.every((word) => {
    const start = lower.indexOf(word, end)
    end = start + word.length
    return start >= 0
  })
}

const orders: Record<string, (record: CorpusRecord) => number> = {
  Active: (record) => record.createdAt.getTime(),
  New: (record) => record.createdAt.getTime(),
  Old: (record) => -record.createdAt.getTime(),
  TopAll: (record) => record.votes,
  new: (record) => record.createdAt.getTime(),
  top: (record) => record.votes,
}

/** `instance` stands in the path of a request, and among the parameters of an expectation; without it all are meant. */
function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const q = parameters.get('q') ?? parameters.get('search_term') ?? ''
  const instance = parameters.get('instance')
  const type = parameters.get('type_') ?? 'All'
  const words = q.toLowerCase().split(' ')
  const value = orders[parameters.get('sort') ?? 'Active']!
  if (type !== 'All' && type !== 'Posts' && type !== 'all') return []
  return (instance === null ? instanceNames : [instance]).flatMap((name) =>
    corpus
      .records(`lemmy/${name}`, topicOf(q))
      .filter((record) => record.isFoundByAnyWords || matches(record.title, words) || matches(record.body ?? '', words))
      .sort((a, b) => value(b) - value(a) || a.id - b.id),
  )
}

function refused(error: string, status = 400): Answer {
  return jsonAnswer(status, { error })
}

const absent: Answer = { status: 404, headers: {}, body: '' }

/** Version 4: posts in an order of their own, one cursor, and only local ones unless all are wanted. */
function listAnswer(
  { parameters }: SearchRequest,
  instance: string,
  { corpus, now }: Pick<SearchContext, 'corpus' | 'now'>,
): Answer {
  if (!hasVersion4(instance)) return absent
  const limit = wholeNumber(parameters.get('limit'), defaultPageSize)
  const page = pageOfCursor(parameters.get('page_cursor'))
  const sort = parameters.get('sort') ?? 'new'
  if (limit === null || limit < 1 || limit > maximumPageSize || !/^[a-z_]+$/.test(sort)) return refused('unknown')
  const search = new URLSearchParams(parameters)
  search.set('instance', instance)
  const rangeMs = (wholeNumber(parameters.get('time_range_seconds'), 0) ?? 0) * 1_000
  const oldest = new Date(rangeMs === 0 ? 0 : now - rangeMs)
  const all = parameters.get('type_') === 'all' ? find(search, corpus) : []
  const found = all.filter((record) => record.createdAt >= oldest)
  const posts = found.slice((page - 1) * limit, page * limit).map((record) => lemmyPostView(record, '1.0'))
  return jsonAnswer(200, { posts, next_page: found.length > page * limit ? `P${page + 1}` : null, prev_page: null })
}

/** Version 3 of Lemmy 1.0 passes on `q` only: 20 things of all kinds, in the old form, whatever the page. */
function shimAnswer({ parameters }: SearchRequest, instance: string, corpus: Corpus): Answer {
  const search = new URLSearchParams({ q: parameters.get('q') ?? '', instance })
  const posts = find(search, corpus)
    .slice(0, shimPosts)
    .map((record) => lemmyPostView(record, '0.19'))
  const communities = [{ community: { id: 5, name: 'wishes' } }]
  return jsonAnswer(200, { type_: 'All', comments: [{ comment: { id: 1 } }], posts, communities, users: [] })
}

function searchAnswer(request: SearchRequest, { corpus, now }: SearchContext): Answer {
  const { parameters, path } = request
  const site = sitePath.exec(path)?.[1]
  if (site !== undefined) return hasVersion4(site) ? jsonAnswer(200, { site_view: {}, version: '1.0.0' }) : absent
  const instance = instanceOf(path)
  if (instance === null || instance.startsWith('nosuch')) return absent
  if (isList(path)) return listAnswer(request, instance, { corpus, now })
  if (hasShim(instance)) return shimAnswer(request, instance, corpus)
  const limit = wholeNumber(parameters.get('limit'), defaultPageSize)
  const page = wholeNumber(parameters.get('page'), 1)
  const sort = parameters.get('sort')
  if (!parameters.get('q') || page === null || page < 1) return refused('unknown')
  if (limit === null || limit < 1 || limit > maximumPageSize) return refused('couldnt_get_posts')
  if (sort !== null && !(sort in orders)) return refused('unknown')
  const search = new URLSearchParams(parameters)
  search.set('instance', instance)
  const found = find(search, corpus).slice((page - 1) * limit, page * limit)
  const posts = found.map((record) => lemmyPostView(record, versions[instance] ?? '0.19'))
  return jsonAnswer(200, { type_: parameters.get('type_') ?? 'All', comments: [], posts, communities: [], users: [] })
}

export const lemmy: SimulatedPlatform = {
  environment: (url) => ({ LEMMY_URLS: instanceNames.map((name) => `${url}/${name}`).join(',') }),
  versionPrefix: /(?!)/,
  alwaysCompressed: false,
  announces: 'nothing',
  decentPauseMs: 60_000,

  refuseMissingUserAgent: null,
  credential: ({ headers }) => headers.authorization?.replace(/^bearer /i, '') ?? null,
  limit: ({ path }) => ({ bucket: instanceOf(path) ?? 'none', ...searches }),
  isAside: ({ path }) => sitePath.test(path),
  page: ({ path, parameters }) => {
    if (sitePath.test(path)) return 0
    return isList(path) ? pageOfCursor(parameters.get('page_cursor')) : (wholeNumber(parameters.get('page'), 1) ?? 1)
  },
  find,

  search: searchAnswer,

  // Version 0.19 says no more than no; later ones have the right status, and name a time only when a fault does.
  refuse: (wait, now) => {
    if (wait.form === 'silent') return refused('rate_limit_error')
    const seconds = String(Math.max(1, Math.ceil((wait.until - now) / 1_000)))
    return jsonAnswer(429, { error: 'rate_limit_error' }, { 'retry-after': seconds })
  },
  // There is nothing to say it by but a full page.
  sayMore: (answer, { path, parameters }, before) => {
    if (isList(path)) {
      const next = `P${pageOfCursor(parameters.get('page_cursor')) + 1}`
      return changeBody(answer, ({ next_page }) => ({ next_page: next_page ?? next }))
    }
    const postsOf = ({ body }: Answer) => (JSON.parse(body) as { posts: object[] }).posts
    const shown = postsOf(answer).length > 0 || before === null ? postsOf(answer) : postsOf(before)
    const limit = wholeNumber(parameters.get('limit'), defaultPageSize) ?? defaultPageSize
    const filled = Array.from({ length: shown.length === 0 ? 0 : limit }, (_, index) => shown[index % shown.length])
    return changeBody(answer, () => ({ posts: filled }))
  },
  ignoring: {
    since: withParameters({ time_range_seconds: null }),
    order: (request) => withParameters({ sort: isList(request.path) ? 'top' : 'TopAll' })(request),
  },
  unauthorized: () => refused('instance_is_private'),
  serverError: () => ({
    status: 503,
    headers: { 'content-type': 'text/html' },
    body: '<h1>503 Service Unavailable</h1>',
  }),
  wrongShape: () => jsonAnswer(200, { type_: 'Posts', posts: { first: 'not a list' }, comments: 3 }),

  plainSearch: (topic) => ({ q: topic.replaceAll('"', ' ') }),
  sourceId: postUrl,
  sourceUrl: (record) => postUrl(record),
}
