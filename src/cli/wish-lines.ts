import type { RequestRecord } from '../requests/record.ts'
import type { ListedWishCorrection } from '../wishes/corrections/list.ts'
import type { WishMark } from '../wishes/marks/marks.ts'
import type { ListedWish, ShownWish } from './api-types.ts'
import { count, printable } from './text.ts'

/** What the account noted about a wish. */
export const formatMark = ({ mark, starred, note }: WishMark): string =>
  [
    ...(starred ? ['starred'] : []),
    ...(mark === null ? [] : [mark]),
    ...(note === '' ? [] : [`"${printable(note)}"`]),
  ].join(', ')

/** One line: title, numbers, status, what the account noted, and the id. */
export function formatWish({
  wishId,
  title,
  requestCount,
  votes,
  platforms,
  status,
  growth,
  mark,
}: ListedWish): string {
  const facts = [
    count(requestCount, 'request'),
    count(votes, 'vote'),
    ...(growth.days30 === null || growth.days30 === 0
      ? []
      : [`${growth.days30.toLocaleString('en-US')} new votes in 30 days`]),
    platforms.map(printable).join(', '),
    ...(status === null ? [] : [printable(status).replaceAll('_', ' ')]),
    ...(mark === null ? [] : [formatMark(mark)]),
  ]
  return `${printable(title)}  ${facts.join(' · ')}  ${printable(wishId)}`
}

const gained = (votes: number | null) => (votes === null ? 'not known yet' : votes.toLocaleString('en-US'))

/** Two lines: a request with its votes and where it stands, and its address. */
const formatMember = ({ _id, title, votes, sourcePlatform, status, sourceUrl }: RequestRecord): string[] => [
  `  ${printable(title)}  ${[count(votes, 'vote'), printable(sourcePlatform), ...(status === null ? [] : [printable(status).replaceAll('_', ' ')])].join(' · ')}  ${printable(_id)}`,
  `    ${printable(sourceUrl)}`,
]

/**
 * A wish with its requests, when it was asked for, and what is possibly the same.
 * @param isContinued whether an earlier page of requests was shown.
 */
export function formatShownWish(wish: ShownWish, isContinued: boolean): string[] {
  const { firstAskedAt, lastAskedAt, growth, members, timeline, possiblySame } = wish
  const requests = members.results.flatMap(formatMember)
  if (isContinued) return requests
  return [
    formatWish(wish),
    `Asked first on ${firstAskedAt.slice(0, 10)}, last on ${lastAskedAt.slice(0, 10)}`,
    `Votes gained in 7 days: ${gained(growth.days7)}; in 30 days: ${gained(growth.days30)}`,
    'Asked for, by when:',
    ...timeline
      .filter(({ requests: asked }) => asked > 0)
      .map((one) => `  ${one.from}  ${count(one.requests, 'request')}`),
    ...(possiblySame.length === 0 ? [] : ['Possibly the same, and not counted:']),
    ...possiblySame.map((other) => `  ${formatWish(other)}`),
    'Its requests:',
    ...requests,
  ]
}

/** One line: when, what, and the most voted request that it moved. */
export function formatWishCorrection(correction: ListedWishCorrection): string {
  const { correctionId, kind, wishId, otherWishId, correctedAt, undoneAt, request } = correction
  const what = kind === 'merge' ? `merged ${otherWishId} into ${wishId}` : `split ${otherWishId} from ${wishId}`
  const title = request === null ? '' : `  "${printable(request.title)}"`
  const undone = undoneAt === null ? '' : `  undone ${printable(undoneAt).slice(0, 10)}`
  return `${printable(correctionId)}  ${printable(correctedAt).slice(0, 10)}  ${printable(what)}${title}${undone}`
}
