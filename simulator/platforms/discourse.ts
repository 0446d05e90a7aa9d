import type { Corpus } from '../corpus.ts'
import {
  type Answer,
  changeBody,
  jsonAnswer,
  type SearchContext,
  type SearchRequest,
  type SimulatedPlatform,
  wholeNumber,
  withoutText,
} from '../platform-shape.ts'
import { discoursePost, discourseTopic, topicId, topicSlug } from './discourse-item.ts'
import { find, forumNames, readSearch } from './discourse-query.ts'
import { discourseReads, isRead } from './discourse-reads.ts'
import { rememberShown } from './shown-records.ts'

const pageSize = 50
const lastPage = 10
const shortestWord = 3
const searchesPerMinute = 15

const newestForum = 'quarry'
/** A further forum, which nothing is configured to search: only its members may read it. */
const privateForum = 'cellar'

/** `/meadow/search.json`; null for what is no search. */
function forumOf(path: string): string | null {
  const match = /^(?:\/([a-z]+))?\/search\.json$/.exec(path)
  return match ? (match[1] ?? forumNames[0]) : null
}

function invalidParameters(what: string): Answer {
  const errors = [`You supplied invalid parameters to the request: ${what}`]
  return jsonAnswer(400, { errors, error_type: 'invalid_parameters' })
}

function groupedResult(q: string, ids: number[], more: object = {}): object {
  return {
    more_posts: null,
    more_users: null,
    more_categories: null,
    term: q,
    search_log_id: 1,
    more_full_page_results: null,
    can_create_topic: false,
    error: null,
    post_ids: ids,
    user_ids: [],
    category_ids: [],
    tag_ids: [],
    group_ids: [],
    ...more,
  }
}

function notLoggedIn(): Answer {
  return jsonAnswer(403, { errors: ['You need to be logged in to do that.'], error_type: 'not_logged_in' })
}

function searchAnswer({ parameters, path }: SearchRequest, corpus: Corpus): Answer {
  const forum = forumOf(path)
  if (forum === null || forum.startsWith('nosuch')) {
    const errors = ['The requested URL or resource could not be found.']
    return jsonAnswer(404, { errors, error_type: 'not_found' })
  }
  const q = parameters.get('q') ?? ''
  const page = wholeNumber(parameters.get('page'), 1)
  if (q.length < shortestWord) return invalidParameters('q')
  if (page === null || page > lastPage) return invalidParameters('page parameter must not be greater than 10')
  const { words, filters } = readSearch(q)
  // Without a filter, words that are too short are no search, and then there is no result at all.
  if (filters.length === 0 && words.every((word) => word.length < shortestWord)) return jsonAnswer(200, null)
  const search = new URLSearchParams(parameters)
  search.set('forum', forum)
  const found = find(search, corpus)
  const start = (Math.max(1, page) - 1) * pageSize
  const shown = found.slice(start, start + pageSize)
  const isNew = forum === newestForum
  rememberShown(corpus, `discourse/${forum}`, shown, topicId)
  const more_full_page_results = found.length > start + pageSize ? true : null
  const grouped = groupedResult(q, shown.map(topicId), { more_full_page_results })
  const lists = { users: [], categories: [], tags: [], groups: [], grouped_search_result: grouped }
  if (shown.length === 0) return jsonAnswer(200, { ...(isNew ? {} : { posts: [] }), ...lists })
  const posts = shown.map((record) => discoursePost(record, isNew))
  const topics = shown.map((record) => discourseTopic(record, isNew))
  return jsonAnswer(200, { posts, topics, ...lists })
}

export const discourse: SimulatedPlatform = {
  environment: (url) => ({
    DISCOURSE_URLS: `${url}/harbour/c/feature-requests/13,${url}/meadow,${url}/quarry/tag/feature-request`,
  }),
  versionPrefix: /(?!)/,
  alwaysCompressed: false,
  announces: 'refusal',
  decentPauseMs: 60_000,

  refuseMissingUserAgent: null,
  credential: ({ headers }) => (typeof headers['api-key'] === 'string' ? headers['api-key'] : null),
  limit: ({ path }) => ({ bucket: forumOf(path) ?? 'none', limit: searchesPerMinute, windowMs: 60_000 }),
  page: ({ parameters }) => wholeNumber(parameters.get('page'), 1) ?? 1,
  find: (parameters, corpus) => {
    const names = parameters.has('forum') ? [parameters.get('forum')!] : forumNames
    return names.flatMap((name) => {
      const search = new URLSearchParams(parameters)
      search.set('forum', name)
      return find(search, corpus).slice(0, lastPage * pageSize)
    })
  },

  isAside: ({ path }) => isRead(path),
  search: (request, { corpus }: SearchContext) => {
    const [forum = ''] = request.path.split('/').slice(1)
    if (forum === privateForum) return notLoggedIn()
    return isRead(request.path)
      ? discourseReads(request.path, corpus, forum === newestForum)
      : searchAnswer(request, corpus)
  },

  refuse: (wait, now) => {
    const seconds = Math.max(1, Math.ceil((wait.until - now) / 1_000))
    const message = `You’ve performed this action too many times. Please wait ${seconds} seconds before trying again.`
    // A search that is refused can also look like one that has found nothing.
    if (wait.form === 'silent') {
      return jsonAnswer(200, {
        posts: [],
        topics: [],
        grouped_search_result: groupedResult('', [], { error: message }),
      })
    }
    const headers = { 'retry-after': String(seconds) }
    if (wait.form === 'secondary') return jsonAnswer(429, { failed: 'FAILED', message }, headers)
    const extras = { wait_seconds: seconds, time_left: `${seconds} seconds` }
    return jsonAnswer(429, { errors: [message], error_type: 'rate_limit', extras }, headers)
  },
  sayMore: (answer) =>
    changeBody(answer, ({ grouped_search_result: grouped }) => ({
      grouped_search_result: { ...(grouped as object), more_full_page_results: true },
    })),
  ignoring: {
    since: withoutText('q', / after:\S+/),
    order: withoutText('q', / order:\S+/),
  },
  unauthorized: notLoggedIn,
  serverError: () => ({
    status: 503,
    headers: { 'content-type': 'text/html' },
    body: '<h1>Offline for maintenance</h1>',
  }),
  wrongShape: () => jsonAnswer(200, { posts: 'none', topics: 7, grouped_search_result: [] }),

  plainSearch: (topic) => ({ q: topic.replaceAll('"', ' ') }),
  sourceId: (record) => String(topicId(record)),
  // Below the address of its forum.
  sourceUrl: (record) => `/t/${topicSlug(record)}/${topicId(record)}/1`,
}
