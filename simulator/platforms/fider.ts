import { type Answer, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { mostFirst, relevance } from '../finding.ts'
import { bearer, wholeNumber, withParameter } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { canonicalText } from '../query.ts'
import written from './fider.json' with { type: 'json' }
import { fiderPost, slugOf } from './fider-item.ts'

const answers = readAnswers(written.answers)
const usualLimit = 30

/** Each is a board of its own below the platform's address. */
const boardNames = ['garden', 'bridge', 'tower']
/** A further board, which nothing is configured to search: only its members may read it. */
const privateBoard = 'attic'

const boardOf = (path: string) => /^\/([a-z]+)\/api\/v1\/posts$/.exec(path)?.[1] ?? null

/** Any of the words, the best first. Duplicates are in no `view=all` (postgres/post.go of getfider/fider). */
function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const topic = canonicalText(parameters.get('query') ?? '')
  const board = parameters.get('board')
  return (board === null ? boardNames : [board]).flatMap((name) =>
    corpus
      .records(`fider/${name}`, topic)
      .filter(({ resolution }) => resolution !== 'duplicate')
      .sort(mostFirst(relevance)),
  )
}

function search({ parameters, path }: SearchRequest, { corpus }: SearchContext): Answer {
  const board = boardOf(path)
  if (board === null || board.startsWith('nosuch')) return answers.absent()
  if (board === privateBoard) return answers.signIn()
  // A text that is no number is the usual limit.
  const limit = wholeNumber(parameters.get('limit'), usualLimit) ?? usualLimit
  if (canonicalText(parameters.get('query') ?? '') === '') return answers.list({ posts: [] })
  const found = find(withParameter(parameters, 'board', board), corpus)
  return answers.list({ posts: found.slice(0, limit).map(fiderPost) })
}

export const fider: SimulatedPlatform = {
  environment: (url) => ({ FIDER_URLS: boardNames.map((name) => `${url}/${name}`).join(',') }),
  announces: 'nothing',
  credential: bearer,
  // Of the proxy of a hosted board; Fider itself has none.
  limit: ({ path }) => ({ bucket: boardOf(path) ?? 'none', limit: 60, windowMs: 60_000 }),
  page: () => 1,
  find,
  search,
  refuse: ({ form, seconds }) => answers.rateLimited({}, form === 'silent' ? {} : { 'retry-after': String(seconds) }),
  // It has nothing to say it by.
  sayMore: (answer) => answer,
  ignoring: { since: (request) => request, order: (request) => request },
  answers,
  plainSearch: (topic) => ({ query: topic }),
  sourceId: ({ id }) => String(id),
  // Below the address of its board.
  sourceUrl: (record) => `/posts/${record.id}/${slugOf(record)}`,
}
