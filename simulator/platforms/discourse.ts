import { type Answer, changeBody, jsonAnswer, readAnswers } from '../answers.ts'
import type { Corpus } from '../corpus.ts'
import { fillText, readForms } from '../forms.ts'
import { pageNumber, wholeNumber, withoutText, withParameter } from '../parameters.ts'
import type { SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import written from './discourse.json' with { type: 'json' }
import { discoursePost, discourseTopic, topicSlug } from './discourse-item.ts'
import { find, forumNames, readSearch } from './discourse-query.ts'
import { discourseReads, isRead } from './discourse-reads.ts'
import { rememberShown } from './shown-records.ts'

const answers = readAnswers(written.answers)
const forms = readForms(written.forms)
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

const idOf = ({ id }: { id: number }) => id

function searchAnswer({ parameters, path }: SearchRequest, corpus: Corpus): Answer {
  const forum = forumOf(path)
  if (forum === null || forum.startsWith('nosuch')) return answers.notFound()
  const q = parameters.get('q') ?? ''
  const page = wholeNumber(parameters.get('page'), 1)
  if (q.length < shortestWord) return answers.invalidParameters({ what: 'q' })
  if (page === null || page > lastPage) {
    return answers.invalidParameters({ what: 'page parameter must not be greater than 10' })
  }
  const { words, filters } = readSearch(q)
  // Without a filter, words that are too short are no search, and then there is no result at all.
  if (filters.length === 0 && words.every((word) => word.length < shortestWord)) return jsonAnswer(200, null)
  const found = find(withParameter(parameters, 'forum', forum), corpus)
  const start = (Math.max(1, page) - 1) * pageSize
  const shown = found.slice(start, start + pageSize)
  const isNew = forum === newestForum
  rememberShown(corpus, `discourse/${forum}`, shown, idOf)
  const more = found.length > start + pageSize ? true : null
  const grouped = forms.grouped({ term: q, ids: shown.map(idOf), more, error: null })
  const posts = shown.map((record) => discoursePost(record, isNew))
  const topics = shown.map((record) => discourseTopic(record, isNew))
  if (shown.length > 0) return jsonAnswer(200, forms.results({ posts, topics, grouped }))
  return jsonAnswer(200, forms.results({ posts: isNew ? undefined : [], topics: undefined, grouped }))
}

export const discourse: SimulatedPlatform = {
  environment: (url) => ({
    DISCOURSE_URLS: `${url}/harbour/c/feature-requests/13,${url}/meadow,${url}/quarry/tag/feature-request`,
  }),
  announces: 'refusal',
  credential: ({ headers }) => (typeof headers['api-key'] === 'string' ? headers['api-key'] : null),
  limit: ({ path }) => ({ bucket: forumOf(path) ?? 'none', limit: searchesPerMinute, windowMs: 60_000 }),
  page: ({ parameters }) => pageNumber(parameters),
  find: (parameters, corpus) => {
    const names = parameters.has('forum') ? [parameters.get('forum')!] : forumNames
    return names.flatMap((name) => find(withParameter(parameters, 'forum', name), corpus).slice(0, lastPage * pageSize))
  },

  isAside: ({ path }) => isRead(path),
  search: (request, { corpus }) => {
    const [forum = ''] = request.path.split('/').slice(1)
    if (forum === privateForum) return answers.unauthorized()
    return isRead(request.path)
      ? discourseReads(request.path, corpus, forum === newestForum)
      : searchAnswer(request, corpus)
  },

  refuse: ({ form, seconds }) => {
    const message = fillText(written.tooOften, { seconds })
    // A search that is refused can also look like one that has found nothing.
    if (form === 'silent') {
      return answers.nothingFound({ grouped: forms.grouped({ term: '', ids: [], more: null, error: message }) })
    }
    const answer = form === 'secondary' ? answers.failed : answers.rateLimited
    return answer({ message, seconds }, { 'retry-after': String(seconds) })
  },
  sayMore: (answer) =>
    changeBody(answer, ({ grouped_search_result: grouped }) => ({
      grouped_search_result: { ...(grouped as object), more_full_page_results: true },
    })),
  ignoring: { since: withoutText('q', / after:\S+/), order: withoutText('q', / order:\S+/) },
  answers,

  plainSearch: (topic) => ({ q: topic.replaceAll('"', ' ') }),
  sourceId: ({ id }) => String(id),
  // Below the address of its forum.
  sourceUrl: (record) => `/t/${topicSlug(record)}/${record.id}/1`,
}
