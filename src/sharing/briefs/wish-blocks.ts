import type { RequestStatus } from '../../database/column-types.ts'
import { platformTitle } from '../../platforms/titles.ts'
import { formatDay } from '../../runtime/dates.ts'
import { settledInWords, settledStatuses, withStars } from '../../wishes/wish-words.ts'
import { titled } from '../pages/bounded.ts'
import type { SharedBriefWish } from './for-others.ts'
import {
  type Block,
  counted,
  dotted,
  heading,
  type Inline,
  line,
  number,
  removedStatus,
  removedText,
  removedTitle,
} from './lines.ts'
import type { BriefQuote, BriefWish } from './schemas.ts'

const statusWords: Record<RequestStatus, string> = {
  open: 'open',
  planned: 'planned',
  in_progress: 'in progress',
  completed: 'completed',
  declined: 'declined',
  duplicate: 'closed as a duplicate',
  closed: 'closed',
}

/** Statuses that somebody decided, so a brief says where. */
export const toldStatuses: readonly RequestStatus[] = ['planned', 'in_progress', 'completed', 'declined']

/** Where it was posted. */
export const placeOf = ({ platform, sourceName }: BriefQuote): string =>
  [platformTitle(platform), ...(sourceName === null ? [] : [titled(sourceName)])].join(', ')

/** Hides numeric ids and repeated names; the link leads to the profile. */
const shownAuthor = (author: string | null): string =>
  author?.replace(/ \(\d+\)$/u, '').replace(/^(.*) \((\1@[^()]*)\)$/u, '$2') ?? 'unknown author'

/** The origin of a quotation: author, day, place, license. */
export const originOf = (quote: BriefQuote): Inline[] =>
  dotted([
    { text: shownAuthor(quote.author), url: quote.authorUrl, platform: quote.platform },
    quote.postedAt === null ? 'no date given' : formatDay(quote.postedAt),
    {
      text: placeOf(quote),
      url: quote.sourceUrl,
      platform: quote.platform,
    },
    quote.license === null ? null : `licence: ${titled(quote.license)}`,
  ])

const quoteBlock = (quote: BriefQuote | null, forOneself: readonly string[]): Block =>
  quote === null
    ? line(removedText, 'removed')
    : {
        kind: 'quote',
        text: quote.text,
        isWhole: quote.isWhole,
        origin: [...originOf(quote), ...(forOneself.includes(quote.platform) ? [' · for you alone'] : [])],
      }

export const lostTitle = 'Its title was removed since.'

/** Whether the source of its status was removed. */
export const hasLostStatus = ({ status, statusFrom }: BriefWish): boolean =>
  status !== null && toldStatuses.includes(status) && statusFrom === null

/** Whether its title was removed. */
export const hasLostTitle = ({ title, isWithheld }: SharedBriefWish): boolean => title === null && !isWithheld

/** The title of a wish; generic words if its text may not be passed on or its request was deleted. */
export const titleText = (wish: BriefWish): string =>
  wish.title?.text ??
  (hasLostTitle(wish)
    ? removedTitle
    : `A wish on ${wish.platforms.map(({ platform }) => platformTitle(platform)).join(', ')}`)

/** Where it was asked for, with numbers if there are several places. */
const platformsOf = ({ platforms }: BriefWish): string =>
  platforms.length === 1
    ? `On ${platformTitle(platforms[0]!.platform)}.`
    : `On ${platforms
        .map(
          ({ platform, requests, votes }) =>
            `${platformTitle(platform)} (${counted(requests, 'request')}, ${counted(votes, 'vote')})`,
        )
        .join(', ')}.`

function growthOf({ growth: { days7, days30 } }: BriefWish): string {
  const periods = [[days7, '7 days'] as const, [days30, '30 days'] as const]
  const known = periods.flatMap(([votes, period]) => (votes === null ? [] : [`${gained(votes)} in ${period}`]))
  return known.length === 0 ? '' : ` Growth: ${known.join(', ')}.`
}

const gained = (votes: number) =>
  votes === 0 ? 'no votes' : `${votes > 0 ? '+' : '−'}${counted(Math.abs(votes), 'vote')}`

const statusOf = ({ status }: BriefWish): string => {
  if (status === null) return ' Its status is not given.'
  return toldStatuses.includes(status) ? '' : ` Status: ${statusWords[status]}.`
}

/** The decided status and where it was stated, on a separate line because it may be removed. */
function statusBlocks({ status, statusFrom }: BriefWish): Block[] {
  if (status === null || !toldStatuses.includes(status)) return []
  if (statusFrom === null) return [line(removedStatus, 'removed')]
  const told = statusWords[status].replace(/^./, (letter) => letter.toUpperCase())
  const { changedAt, isObserved, platform, sourceUrl } = statusFrom
  const since = changedAt === null ? '' : `, ${isObserved ? 'first seen so on' : 'since'} ${formatDay(changedAt)}`
  return [
    line([
      `${told}${since}: `,
      { text: `as the post on ${platformTitle(platform)} says`, url: sourceUrl, platform },
      '.',
    ]),
  ]
}

/** Who asks, how many agree, and what was decided. */
export function demandOf({ votes, voices, requestCount, crossPosts, status, title }: BriefWish): string {
  const requests = requestCount === voices ? '' : ` in ${counted(requestCount, 'request')}`
  const crossPosted = crossPosts === 0 ? '' : `, ${number(crossPosts)} of them cross-posted`
  const told = status !== null && toldStatuses.includes(status) ? ` · ${statusWords[status]}` : ''
  return `${withStars(counted(votes, 'vote'), title?.stars, requestCount)} · ${counted(voices, 'person', 'people')} asked${requests}${crossPosted}${told}`
}

const askedOf = ({ firstAskedAt, lastAskedAt }: BriefWish): string =>
  formatDay(firstAskedAt) === formatDay(lastAskedAt)
    ? `Asked for on ${formatDay(firstAskedAt)}.`
    : `First asked for on ${formatDay(firstAskedAt)}, last on ${formatDay(lastAskedAt)}.`

/** Where and when it was asked for (unless its single request says so below), growth and status. */
function numbersBlocks(wish: BriefWish): Block[] {
  const isSaidBelow = wish.requestCount === 1 && wish.title !== null
  const said = `${isSaidBelow ? '' : `${platformsOf(wish)} ${askedOf(wish)}`}${growthOf(wish)}${statusOf(wish)}`.trim()
  return said === '' ? [] : [line(said)]
}

/** What was settled of an open wish. */
function settledBlocks({ requestCount, status, settledRequests }: BriefWish): Block[] {
  if (settledRequests === undefined) return []
  const statuses = settledStatuses.map((one) => ({ status: one, requests: settledRequests[one] }))
  return settledInWords({ requestCount, status, statuses }).map((text) => line(text))
}

/** The origin of the title, unless its first quotation says it. */
function titleBlocks(wish: BriefWish): Block[] {
  const { title, quotes } = wish
  if (title === null) return [line(hasLostTitle(wish) ? lostTitle : 'Its title cannot be passed on.', 'facts')]
  return quotes[0]?.requestId === title.requestId ? [] : [line(['Title by ', ...originOf(title)], 'facts')]
}

/** A wish with numbers and quotations; null if removed. @param unquotedPlatforms whose texts are not passed on */
export function wishBlocks(
  wish: BriefWish | null,
  at: number,
  { isShared, unquotedPlatforms }: { isShared: boolean; unquotedPlatforms: readonly string[] },
): Block[] {
  if (wish === null) return [heading(3, `${at}. ${removedTitle}`), line(removedText, 'removed')]
  const { quotes, unquoted } = wish
  return [
    heading(3, `${at}. ${titleText(wish)}`),
    line(demandOf(wish), 'facts'),
    ...(wish.isTagOnly ? [line('Only its tags or its source have the topic.', 'facts')] : []),
    ...numbersBlocks(wish),
    ...statusBlocks(wish),
    ...settledBlocks(wish),
    ...titleBlocks(wish),
    ...quotes.map((quote) => quoteBlock(quote, unquotedPlatforms)),
    ...(quotes.length === 0 && wish.title !== null
      ? [line('No sentence of it was chosen to be quoted.', 'facts')]
      : []),
    ...(unquoted === 0 || !isShared
      ? []
      : [line(`Not quoted: ${counted(unquoted, 'request')} on platforms whose texts are not passed on.`, 'facts')]),
  ]
}
