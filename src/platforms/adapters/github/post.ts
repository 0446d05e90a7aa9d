import type { DiscardReason } from '../../../database/column-types.ts'
import {
  asDate,
  asFields,
  asId,
  asInteger,
  asList,
  asName,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import { cleanTags, markdownToPlainText, plainTitle } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'

/** An issue; null for a pull request, or for an issue without an id or address. */
export function readIssue(issue: Fields): FoundRequest | DiscardReason | null {
  const sourceId = asId(issue.id)
  const sourceUrl = asWebUrl(issue.html_url)
  if (sourceId === null || sourceUrl === null || isPullRequest(issue)) return null
  if (isPrivate(issue)) return 'notPublic'
  const user = asFields(issue.user)
  return foundRequest({
    sourceId,
    sourceUrl,
    title: plainTitle(asString(issue.title) ?? ''),
    description: markdownToPlainText(asString(issue.body) ?? ''),
    votes: asInteger(asFields(issue.reactions)?.['+1']) ?? 0,
    tags: cleanTags((asList(issue.labels) ?? []).map((label) => asFields(label)?.name ?? label)),
    commentCount: asInteger(issue.comments),
    authorHandle: asName(user?.login),
    authorProfileUrl: asWebUrl(user?.html_url),
    originalCreatedAt: asDate(issue.created_at),
  })
}

/** The query excludes private repositories already; some answers hold the repository, so it is checked here too. */
function isPrivate(issue: Fields): boolean {
  const repository = asFields(issue.repository)
  return (repository?.private ?? false) !== false || (repository?.visibility ?? 'public') !== 'public'
}

/** Old bodies, and the example in GitHub's own documentation, give plain issues a `pull_request` of nulls only. */
function isPullRequest(issue: Fields): boolean {
  return Object.values(asFields(issue.pull_request) ?? {}).some((link) => link !== null)
}
