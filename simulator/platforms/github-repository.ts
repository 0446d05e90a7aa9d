import { type Answer, jsonAnswer, type SearchContext, type SearchRequest } from '../platform-shape.ts'
import { gitHubItem, issueNumber, repository } from './github-item.ts'

const documentation = 'https://docs.github.com/rest'
const notFound = { message: 'Not Found', documentation_url: documentation, status: '404' }

/** Repositories of the owner `private` need a token; those of `nosuch` do not exist, and those of `renamed` have another name. */
function describeRepository(request: SearchRequest, name: string, headers: Record<string, string>): Answer {
  const owner = name.split('/')[0]!
  const isPrivate = owner === 'private'
  if (owner.startsWith('nosuch') || (isPrivate && !request.headers.authorization)) {
    return jsonAnswer(404, notFound, headers)
  }
  const fullName = owner === 'renamed' ? name.replace('renamed', 'newname') : name
  const visibility = isPrivate ? 'private' : 'public'
  return jsonAnswer(200, { id: 1, full_name: fullName, private: isPrivate, visibility, has_issues: true }, headers)
}

/** A single issue: 410 says that it was deleted, 404 also that it may not be read, and a moved one leads to its copy. */
function describeIssue(request: SearchRequest, { corpus }: SearchContext, headers: Record<string, string>): Answer {
  const [, name = '', number = ''] = /^\/repos\/([^/]+\/[^/]+)\/issues\/(\d+)$/.exec(request.path) ?? []
  const record = corpus
    .known('github')
    .map((known) => known.record)
    .find((known) => issueNumber(known) === Number(number) && repository(known) === name)
  if (record === undefined || record.fate === 'hidden') return jsonAnswer(404, notFound, headers)
  if (record.fate === 'deleted')
    return jsonAnswer(410, { ...notFound, message: 'This issue was deleted', status: '410' }, headers)
  const item = gitHubItem(record, request.baseUrl)
  const copy = { ...item, id: record.id + 1_000_000_000, node_id: 'I_copy' }
  return jsonAnswer(200, record.resolution === 'moved' ? copy : item, headers)
}

export const isRepositoryPath = (path: string) => /^\/repos\/[^/]+\/[^/]+(?:\/issues\/\d+)?$/.test(path)

export function answerRepository(request: SearchRequest, context: SearchContext): Answer {
  const headers = { 'x-ratelimit-resource': 'core' }
  const name = /^\/repos\/([^/]+\/[^/]+)$/.exec(request.path)?.[1]
  return name === undefined ? describeIssue(request, context, headers) : describeRepository(request, name, headers)
}
