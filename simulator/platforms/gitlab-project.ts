import { type Answer, readAnswers } from '../answers.ts'
import type { Corpus } from '../corpus.ts'
import { bearer } from '../parameters.ts'
import type { SearchRequest } from '../platform-shape.ts'
import written from './gitlab.json' with { type: 'json' }
import { projectId } from './gitlab-item.ts'

const answers = readAnswers(written.answers)

/** Where given records are. */
export const givenProject = 'quillbox/desk'

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

/** The token of a request; null for an anonymous one. */
export function token(request: SearchRequest): string | null {
  const header = request.headers['private-token']
  return typeof header === 'string' ? header : bearer(request)
}

/** The visibility of a project by its group. Projects of `members` are public, but show their issues to members only. */
const closedGroups: Record<string, string> = { private: 'private', internal: 'internal', members: 'public' }

/** Whether only members see the issues of a project, or even that it exists. */
export const isClosed = (project: string): boolean => project.split('/')[0]! in closedGroups

const lookupPath = /^\/(project|group)s\/([^/]+)$/

/** Whether a path is that of a project or group itself. */
export const isLookup = (path: string) => lookupPath.test(path)

/** A project or group; only its members see its `visibility`. */
export function describeProject(request: SearchRequest): Answer {
  const [, kind = '', name = ''] = lookupPath.exec(request.path) ?? []
  const project = decodeURIComponent(name)
  const group = project.split('/')[0]!
  const isMember = token(request) !== null
  if (project.startsWith('nosuch') || (!isMember && isClosed(project) && group !== 'members')) {
    return answers.notFound({ what: kind === 'group' ? 'Group' : 'Project' })
  }
  if (!isMember) return answers.project({ project, visibility: undefined, access: undefined })
  const access = group === 'members' ? 'private' : 'enabled'
  return answers.project({ project, visibility: closedGroups[group] ?? 'public', access })
}
