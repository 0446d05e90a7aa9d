import type { Corpus } from '../corpus.ts'
import { type Answer, jsonAnswer, type SearchRequest } from '../platform-shape.ts'
import { projectId } from './gitlab-item.ts'

/**
 * `/projects/group%2Fname/issues`, `/projects/7/issues` and `/groups/group/issues`; null for any other path. A group has the records of
 * the project `desk` in it.
 */
export function projectOf(path: string, corpus: Corpus): string | null {
  const [, kind, id] = /^\/(projects|groups)\/([^/]+)\/issues$/.exec(path) ?? []
  if (id === undefined) return null
  const name = decodeURIComponent(id)
  return kind === 'groups' ? `${name}/desk` : (projectOfNumber(name, corpus) ?? name)
}

/** A project by its number, if any of its issues was found or its number was computed from a known path. */
function projectOfNumber(name: string, corpus: Corpus): string | null {
  const places = corpus.known('gitlab').map(({ place }) => place?.slice('gitlab/'.length) ?? givenProject)
  return places.find((project) => String(projectId(project)) === name) ?? null
}

/** Where given records are. */
const givenProject = 'quillbox/desk'

/** The token of a request; null for an anonymous one. */
export function token({ headers }: SearchRequest): string | null {
  const header = headers['private-token']
  return typeof header === 'string' ? header : (headers.authorization?.replace(/^bearer /i, '') ?? null)
}

/** The visibility of a project by its group. Projects of `members` are public, but show their issues to members only. */
const closedGroups = { private: 'private', internal: 'internal', members: 'public' }

export const groupOf = (project: string): keyof typeof closedGroups | null => {
  const group = project.split('/')[0]!
  return group in closedGroups ? (group as keyof typeof closedGroups) : null
}

/** Whether a path is that of a project or group itself. */
export const isLookup = (path: string) => /^\/(?:projects|groups)\/[^/]+$/.test(path)

/** A project or group; only its members see its `visibility`. */
export function describeProject(request: SearchRequest): Answer {
  const project = decodeURIComponent(/^\/(?:projects|groups)\/([^/]+)$/.exec(request.path)?.[1] ?? '')
  const group = groupOf(project)
  const isMember = token(request) !== null
  if (project.startsWith('nosuch') || (!isMember && group !== null && group !== 'members')) {
    const what = request.path.startsWith('/groups/') ? 'Group' : 'Project'
    return jsonAnswer(404, { message: `404 ${what} Not Found` })
  }
  const known = { id: 278_964, path_with_namespace: project, web_url: `https://gitlab.com/${project}` }
  const access = group === 'members' ? 'private' : 'enabled'
  const visibility = group === null ? 'public' : closedGroups[group]
  return jsonAnswer(200, isMember ? { ...known, visibility, issues_access_level: access } : known)
}
