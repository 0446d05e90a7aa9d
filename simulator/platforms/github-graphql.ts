import { type Answer, jsonAnswer, readAnswers } from '../answers.ts'
import type { SearchContext, SearchRequest } from '../platform-shape.ts'
import { isFound } from '../records.ts'
import written from './github.json' with { type: 'json' }
import { gitHubNode, nodeId } from './github-item.ts'
import { findDiscussions, withCategory } from './github-search.ts'

const { tooManyNodes } = readAnswers(written.answers)
export const graphqlPath = '/graphql'
const maximumNodes = 100

interface GraphqlBody {
  query: string
  variables: Record<string, unknown>
}

export function readGraphql(request: SearchRequest): GraphqlBody {
  const body = JSON.parse(request.body || '{}') as Partial<GraphqlBody>
  return { query: body.query ?? '', variables: body.variables ?? {} }
}

const isNodes = (query: string) => query.includes('nodes(ids:')
const repositoryPattern = /(\w+): repository\(owner: "([^"]+)", name: "([^"]+)"\)/g
const searchPattern = /(?:(\w+): )?search\(type: DISCUSSION, query: \$(\w+), first: (\d+), after: \$(\w+)\)/g

/** Whether a request reads known nodes or repositories, which is no search. */
export function isReadingQuery(request: SearchRequest): boolean {
  const { query } = readGraphql(request)
  return isNodes(query) || query.match(repositoryPattern) !== null
}

/** Reads no GraphQL: it recognises the searches, the nodes and the repositories of a query by their text. */
export function answerGraphql(request: SearchRequest, context: SearchContext, headers: Record<string, string>): Answer {
  const { query, variables } = readGraphql(request)
  if (isNodes(query)) return answerNodes(variables.ids as string[], context, headers)
  if (isReadingQuery(request)) return answerRepositories(query, headers)
  const { discussions, category } = context.behaviours.github
  const searches = [...query.matchAll(searchPattern)]
  const data = searches.map(([, alias = 'search', text = '', first = '0', after = '']) => {
    const found = findDiscussions(String(variables[text]), context.corpus, discussions, category === 'obeyed')
    const start = Number(variables[after] ?? 0)
    const end = start + Number(first)
    const pageInfo = { hasNextPage: end < found.length, endCursor: found.length === 0 ? null : String(end) }
    return [alias, { pageInfo, nodes: found.slice(start, end).map(gitHubNode) }] as const
  })
  return jsonAnswer(200, { data: Object.fromEntries(data) }, headers)
}

interface ReadThing {
  value: unknown
  path: (string | number)[]
  message: string
}

/** The data, and an error for each thing that is not there: one that may not be read looks the same. */
function dataAnswer(data: object, things: readonly ReadThing[], headers: Record<string, string>): Answer {
  const absent = things.filter(({ value }) => value === null)
  const errors = absent.map(({ path, message }) => ({ type: 'NOT_FOUND', path, message }))
  return jsonAnswer(200, { data, ...(errors.length === 0 ? {} : { errors }) }, headers)
}

function answerNodes(ids: readonly string[], { corpus }: SearchContext, headers: Record<string, string>): Answer {
  if (ids.length > maximumNodes) return tooManyNodes({ count: ids.length }, headers)
  const known = corpus
    .known('github')
    .map(({ place, record }) => (place === 'github/discussions' ? withCategory(record) : record))
    .filter((record) => isFound(record) && record.resolution !== 'moved')
  const byId = new Map(known.map((record) => [nodeId(record), record]))
  const things = ids.map((id, index) => {
    const record = byId.get(id)
    const message = `Could not resolve to a node with the global id of '${id}'`
    return { value: record ? gitHubNode(record) : null, path: ['nodes', index], message }
  })
  return dataAnswer({ nodes: things.map(({ value }) => value) }, things, headers)
}

function answerRepositories(query: string, headers: Record<string, string>): Answer {
  const things = [...query.matchAll(repositoryPattern)].map(([, alias = '', owner = '', name = '']) => {
    const isPrivate = owner === 'private'
    const found = { nameWithOwner: `${owner}/${name}`, isPrivate, visibility: isPrivate ? 'PRIVATE' : 'PUBLIC' }
    const value = owner.startsWith('nosuch') ? null : found
    return { alias, value, path: [alias], message: 'Could not resolve to a Repository with the name.' }
  })
  const data = Object.fromEntries(things.map(({ alias, value }) => [alias, value]))
  return dataAnswer({ __typename: 'Query', ...data }, things, headers)
}
