import type { SourceKind } from '../../definition.ts'

/** One path segment (docs.gitlab.com/user/reserved_names, "Limitations on usernames, project and group names"). */
const part = /^(?!-)(?!.*\.(?:git|atom)$)[\w.-]{1,255}(?<![.-])$/
const groups = 'groups/'

/** An item of `GITLAB_PROJECTS`, or an account's source. */
export interface GitlabSource {
  /** As in API addresses. */
  kind: 'projects' | 'groups'
  /** Path or number. */
  path: string
  /** The wish label; null for all issues. */
  label: string | null
}

/** Splits at the first colon: paths have none, labels may (`type::feature`). */
export function readSource(source: string): GitlabSource {
  const [, named = source, label = ''] = /^([^:]*):(.*)$/.exec(source) ?? []
  const isGroup = named.trim().startsWith(groups)
  return {
    kind: isGroup ? 'groups' : 'projects',
    path: isGroup ? named.trim().slice(groups.length) : named.trim(),
    label: label.trim() === '' ? null : label.trim(),
  }
}

/** `group/project` or `groups/group`, optionally with `:label`. Lower case, because GitLab ignores case. */
export const gitlabSource: SourceKind = {
  form: 'group/project or groups/group, each with :label or without',
  example: 'inkscape/inbox',
  normalise(text) {
    const trimmed = text.trim()
    const isAddress = /^(?:https?:\/\/)?(?:www\.)?gitlab\.com\//i.test(trimmed)
    const path = trimmed.replace(/^(?:https?:\/\/)?(?:www\.)?gitlab\.com\//i, '')
    if (path.includes('://')) return null
    // `/-/` starts a page of the project, such as its issues.
    const alone = isAddress
      ? path
          .replace(/[?#].*$/, '')
          .replace(/\/-(?:\/.*)?$/, '')
          .replace(/\.git$/i, '')
      : path
    const { kind, path: named, label } = readSource(alone.replace(/\/+$/, ''))
    const parts = named.toLowerCase().replace(/\/+$/, '').split('/')
    const isGroup = kind === 'groups' || parts.length === 1
    if (!parts.every((one) => part.test(one)) || (label !== null && /[,\p{Cc}]/u.test(label))) return null
    const normal = `${isGroup ? groups : ''}${parts.join('/')}${label === null ? '' : `:${label}`}`
    return normal.length <= 300 ? normal : null
  },
}
