import { type Answer, jsonAnswer, readAnswers } from '../answers.ts'
import type { SearchContext, SearchRequest } from '../platform-shape.ts'
import written from './github.json' with { type: 'json' }
import { gitHubItem, issueNumber, repository } from './github-item.ts'

const answers = readAnswers(written.answers)
const headers = { 'x-ratelimit-resource': 'core' }
const notFound = () => answers.notFound({ documentation: 'https://docs.github.com/rest' }, headers)

/** Repositories of the owner `private` need a token; those of `nosuch` do not exist, and those of `renamed` have another name. */
function describeRepository(request: SearchRequest, name: string): Answer {
  const owner = name.split('/')[0]!
  const isPrivate = owner === 'private'
  if (owner.startsWith('nosuch') || (isPrivate && !request.headers.authorization)) return notFound()
  const fullName = owner === 'renamed' ? name.replace('renamed', 'newname') : name
  return answers.repository({ fullName, isPrivate, visibility: isPrivate ? 'private' : 'public' }, headers)
}

/** A single issue: 410 says that it was deleted, 404 also that it may not be read, and a moved one leads to its copy. */
function describeIssue(request: SearchRequest, { corpus }: SearchContext, name: string, number: number): Answer {
  const record = corpus
    .known('github')
    .map((known) => known.record)
    .find((known) => issueNumber(known) === number && repository(known) === name)
  if (record === undefined || record.fate === 'hidden') return notFound()
  if (record.fate === 'deleted') return answers.deleted({}, headers)
  const item = gitHubItem(record, request.baseUrl)
  const copy = { ...item, id: record.id + 1_000_000_000, node_id: 'I_copy' }
  return jsonAnswer(200, record.resolution === 'moved' ? copy : item, headers)
}

const paths = /^\/repos\/([^/]+\/[^/]+)(?:\/issues\/(\d+))?$/

export const isRepositoryPath = (path: string) => paths.test(path)

export function answerRepository(request: SearchRequest, context: SearchContext): Answer {
  const [, name = '', number] = paths.exec(request.path) ?? []
  return number === undefined
    ? describeRepository(request, name)
    : describeIssue(request, context, name, Number(number))
}
