import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, changeBody, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, matching, mostFirst, votes } from '../finding.ts'
import { acceptedNumber, bearer, pageNumber, wholeNumber, withParameter } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { parseQuery } from '../query.ts'
import written from './board.json' with { type: 'json' }
import { boardIdea, ideaUrl } from './board-item.ts'

// A board of nobody: what a description must be able to say, in one form.

const answers = readAnswers(written.answers)
const pageSizes = { usual: 10, maximum: 20 }

/** The description of the simulated board. */
export const describeBoard = (url: string, change: object = {}): string =>
  JSON.stringify({
    version: 1,
    name: 'meadow',
    title: 'Meadow',
    request: {
      url: `${url}/ideas?q={topic}&page={page}&size={limit}`,
      headers: { Authorization: 'Bearer {secret}' },
    },
    paging: { by: 'page', size: pageSizes.maximum, more: '$.hasMore' },
    items: '$.ideas',
    only: '@.private == false && @.removed == false',
    fields: {
      id: '$.id',
      url: 'https://ideas.example/i/{$.slug}',
      title: '$.title',
      text: '$.details',
      votes: '$.score',
      comments: '$.commentCount',
      author: '$.author.name',
      createdAt: '$.created',
      status: '$.status',
      tags: '$.tags[*].name',
    },
    textFormat: 'markdown',
    areRequests: true,
    newestFirst: true,
    maxPages: 100,
    ...change,
  })

let folder: string | undefined

/** Writes a description with its secret. @returns its path; it is deleted with the process */
export function writeBoard(description: string, secret = 'key-of-the-board'): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'wishwell-boards-'))
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
    folder = made
  }
  const path = join(folder, `${hash('sha256', description).slice(0, 16)}.json`)
  writeFileSync(path, description)
  writeFileSync(path.replace(/\.json$/, '.secret'), secret, { mode: 0o600 })
  return path
}

const find = (parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] => {
  const query = parseQuery(parameters.get('q') ?? '')
  return corpus
    .records('board', query.topic)
    .filter(matching(query))
    .sort(mostFirst(parameters.get('sort') === 'top' ? votes : created))
}

function search({ parameters, path }: SearchRequest, { corpus }: SearchContext): Answer {
  if (path !== '/ideas') return answers.absent()
  const size = acceptedNumber(parameters.get('size'), pageSizes)
  const page = wholeNumber(parameters.get('page'), 1)
  if (size === null || page === null || page < 1) return answers.refused({ error: 'out of range' })
  const found = find(parameters, corpus)
  const ideas = found.slice((page - 1) * size, page * size).map(boardIdea)
  return answers.list({ ideas, hasMore: found.length > page * size })
}

const byVotes = (request: SearchRequest): SearchRequest => ({
  ...request,
  parameters: withParameter(request.parameters, 'sort', 'top'),
})

export const board: SimulatedPlatform = {
  environment: (url) => ({ BOARD_FILES: writeBoard(describeBoard(url)) }),
  announces: 'nothing',
  credential: bearer,
  limit: () => ({ bucket: 'ideas', limit: 20, windowMs: 60_000 }),
  page: ({ parameters }) => pageNumber(parameters),
  find,
  search,
  refuse: ({ form, seconds }) => answers.rateLimited({}, form === 'silent' ? {} : { 'retry-after': String(seconds) }),
  sayMore: (answer) => changeBody(answer, () => ({ hasMore: true })),
  // It has no parameter for an instant, nor for its order.
  ignoring: { since: (request) => request, order: byVotes },
  answers,
  plainSearch: (topic) => ({ q: topic }),
  sourceId: ({ id }) => `meadow/${id}`,
  sourceUrl: ideaUrl,
}
