import { type Answer, changeBody, readAnswers } from '../answers.ts'
import type { Corpus } from '../corpus.ts'
import { since } from '../finding.ts'
import { acceptedNumber, bearer, pageNumber, wholeNumber, withParameter, withParameters } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import written from './lemmy.json' with { type: 'json' }
import { lemmyPostView, postUrl } from './lemmy-item.ts'
import { find, instanceNames, orders, versions } from './lemmy-search.ts'

const answers = readAnswers(written.answers)
const pageSizes = { usual: 10, maximum: 50 }
const shimPosts = 18
const searches = { limit: 60, windowMs: 600_000 }

/** A further instance, of version 1.0, whose operator has switched version 4 of the API off. */
const shimOnly = 'bramble'
const hasVersion4 = (instance: string) => versions[instance] === '1.0'

const sitePath = /^\/([a-z]+)\/api\/v4\/site$/
const isList = (path: string) => path.endsWith('/api/v4/post/list')

/** `/pebble/api/v3/search`; null for what is no search. */
function instanceOf(path: string): string | null {
  const match = /^(?:\/([a-z]+))?\/api\/(?:v3\/search|v4\/post\/list)$/.exec(path)
  return match ? (match[1] ?? instanceNames[0]!) : null
}

const pageSize = (parameters: URLSearchParams) => acceptedNumber(parameters.get('limit'), pageSizes)

/** Of version 4: a letter and the number of the page. */
const pageOfCursor = (parameters: URLSearchParams) =>
  Number(/^P(\d{1,6})$/.exec(parameters.get('page_cursor') ?? '')?.[1] ?? 1)

/** Version 4: posts in an order of their own, one cursor, and only local ones unless all are wanted. */
function listAnswer({ parameters }: SearchRequest, instance: string, { corpus, now }: SearchContext): Answer {
  if (!hasVersion4(instance)) return answers.absent()
  const limit = pageSize(parameters)
  const page = pageOfCursor(parameters)
  if (limit === null || !/^[a-z_]+$/.test(parameters.get('sort') ?? 'new')) return answers.refused({ error: 'unknown' })
  const rangeMs = (wholeNumber(parameters.get('time_range_seconds'), 0) ?? 0) * 1_000
  const all = parameters.get('type_') === 'all' ? find(withParameter(parameters, 'instance', instance), corpus) : []
  const found = rangeMs === 0 ? all : all.filter(since(new Date(now - rangeMs).toISOString()))
  const posts = found.slice((page - 1) * limit, page * limit).map((record) => lemmyPostView(record, '1.0'))
  return answers.list({ posts, next: found.length > page * limit ? `P${page + 1}` : null })
}

/** Version 3 of Lemmy 1.0 passes on `q` only: 20 things of all kinds, in the old form, whatever the page. */
function shimAnswer({ parameters }: SearchRequest, instance: string, corpus: Corpus): Answer {
  const found = find(new URLSearchParams({ q: parameters.get('q') ?? '', instance }), corpus)
  return answers.mixed({ posts: found.slice(0, shimPosts).map((record) => lemmyPostView(record, '0.19')) })
}

function searchAnswer(request: SearchRequest, context: SearchContext): Answer {
  const { parameters, path } = request
  const site = sitePath.exec(path)?.[1]
  if (site !== undefined) return hasVersion4(site) ? answers.site() : answers.absent()
  const instance = instanceOf(path)
  if (instance === null || instance.startsWith('nosuch')) return answers.absent()
  if (isList(path)) return listAnswer(request, instance, context)
  if (instance === shimOnly || hasVersion4(instance)) return shimAnswer(request, instance, context.corpus)
  const limit = pageSize(parameters)
  const page = wholeNumber(parameters.get('page'), 1)
  const sort = parameters.get('sort')
  if (!parameters.get('q') || page === null || page < 1) return answers.refused({ error: 'unknown' })
  if (limit === null) return answers.refused({ error: 'couldnt_get_posts' })
  if (sort !== null && !(sort in orders)) return answers.refused({ error: 'unknown' })
  const found = find(withParameter(parameters, 'instance', instance), context.corpus)
  const version = versions[instance] ?? '0.19'
  const posts = found.slice((page - 1) * limit, page * limit).map((record) => lemmyPostView(record, version))
  return answers.search({ type: parameters.get('type_') ?? 'All', posts })
}

const postsOf = ({ body }: Answer) => (JSON.parse(body) as { posts: object[] }).posts

export const lemmy: SimulatedPlatform = {
  environment: (url) => ({ LEMMY_URLS: instanceNames.map((name) => `${url}/${name}`).join(',') }),
  announces: 'nothing',
  credential: bearer,
  limit: ({ path }) => ({ bucket: instanceOf(path) ?? 'none', ...searches }),
  isAside: ({ path }) => sitePath.test(path),
  page: ({ path, parameters }) => {
    if (sitePath.test(path)) return 0
    return isList(path) ? pageOfCursor(parameters) : pageNumber(parameters)
  },
  find,
  search: searchAnswer,

  // Version 0.19 says no more than no; later ones have the right status, and name a time only when a fault does.
  refuse: ({ form, seconds }) =>
    form === 'silent'
      ? answers.refused({ error: 'rate_limit_error' })
      : answers.rateLimited({}, { 'retry-after': String(seconds) }),
  // Version 3 has nothing to say it by but a full page.
  sayMore: (answer, { path, parameters }, before) => {
    if (isList(path)) {
      return changeBody(answer, ({ next_page: next }) => ({ next_page: next ?? `P${pageOfCursor(parameters) + 1}` }))
    }
    const shown = postsOf(answer).length > 0 || before === null ? postsOf(answer) : postsOf(before)
    const limit = wholeNumber(parameters.get('limit'), pageSizes.usual) ?? pageSizes.usual
    const filled = Array.from({ length: shown.length === 0 ? 0 : limit }, (_, index) => shown[index % shown.length])
    return changeBody(answer, () => ({ posts: filled }))
  },
  ignoring: {
    since: withParameters({ time_range_seconds: null }),
    order: (request) => withParameters({ sort: isList(request.path) ? 'top' : 'TopAll' })(request),
  },
  answers,

  plainSearch: (topic) => ({ q: topic.replaceAll('"', ' ') }),
  sourceId: postUrl,
  sourceUrl: postUrl,
}
