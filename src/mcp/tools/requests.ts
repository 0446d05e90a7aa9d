import type { components } from '../../../client/api.d.ts'
import { count } from '../../runtime/count.ts'
import { formatDay } from '../../runtime/dates.ts'
import { withStars } from '../../wishes/wish-words.ts'
import type { Facts, Foreign, Row } from '../answer.ts'
import { clip } from '../tokens.ts'

type Request = components['schemas']['Request']

export const dayOf = (moment: string | null): string | null => moment?.slice(0, 10) ?? null

const maxName = 60

export const nameOf = (text: string | null): string | null => text && clip(text, maxName)

/** White space could look like a line break. */
export const inLine = (text: string | null): string => (text ?? '').replace(/\s+/g, ' ').trim()

/** A complete URL or none: half of one leads elsewhere. */
export const addressOf = (url: string): string | null => (url.length <= 300 ? url : null)

/** A request's row. @param maxText tokens of its text */
export function requestRow(request: Request, maxText: number): Row {
  const text = clip(request.description, maxText)
  const facts: Facts = {
    requestId: request._id,
    ...{ votes: request.votes, ...(request.stars && { stars: request.stars }) },
    platform: request.sourcePlatform,
    status: request.status,
    postedAt: dayOf(request.originalCreatedAt),
    likelihood: request.likelihood,
    isCut: request.descriptionTruncated || text !== request.description,
  }
  const foreign: Foreign = {
    title: nameOf(request.title),
    text,
    author: nameOf(request.authorName ?? request.authorHandle),
    url: addressOf(request.sourceUrl),
    license: request.license,
  }
  const posted = request.originalCreatedAt === null ? 'undated' : formatDay(request.originalCreatedAt)
  const line = `- ${inLine(nameOf(request.title))} (requestId ${request._id}, ${withStars(count(request.votes, 'vote'), request.stars)}, ${request.sourcePlatform}, ${posted})`
  return { facts, foreign, line }
}
