import {
  asEpochSeconds,
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
import { cleanTags, escapedTitle, htmlToPlainText } from '../../content/text.ts'
import type { FoundRequest } from '../../platform.ts'

/** A question of one site; null when it has no id. */
export function readQuestion(question: Fields, site: string): FoundRequest | null {
  const questionId = asId(question.question_id)
  if (questionId === null) return null
  // A deleted user has a name at most.
  const owner = asFields(question.owner)
  return foundRequest({
    // Numbers are only unique within their site.
    sourceId: `${site}:${questionId}`,
    sourceUrl: asWebUrl(question.link) ?? `https://${siteHost(site)}/q/${encodeURIComponent(questionId)}`,
    title: escapedTitle(asString(question.title) ?? ''),
    description: htmlToPlainText(asString(question.body) ?? ''),
    votes: asInteger(question.score) ?? 0,
    tags: cleanTags(asList(question.tags) ?? []),
    commentCount: asInteger(question.comment_count) ?? asInteger(question.answer_count),
    authorName: asName(escapedTitle(asString(owner?.display_name) ?? '')),
    authorHandle: asId(owner?.user_id),
    authorProfileUrl: asWebUrl(owner?.link),
    license: asName(question.content_license),
    originalCreatedAt: asEpochSeconds(question.creation_date),
  })
}

/** The rule by which Stack Exchange names its sites: `meta.stackoverflow`, `softwarerecs`, `mathoverflow.net`. */
function siteHost(site: string): string {
  if (site.endsWith('.net')) return site
  const hasOwnDomain = /(^|\.)(stackoverflow|serverfault|superuser|askubuntu|stackapps)$/.test(site)
  return hasOwnDomain ? `${site}.com` : `${site}.stackexchange.com`
}
