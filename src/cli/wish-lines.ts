import type { ListedWishCorrection } from '../wishes/corrections/list.ts'
import type { WishMark } from '../wishes/marks/marks.ts'
import type { ListedWish } from './api-types.ts'
import { count, printable } from './text.ts'

/** What the account noted about a wish. */
export const formatMark = ({ mark, starred, note }: WishMark): string =>
  [
    ...(starred ? ['starred'] : []),
    ...(mark === null ? [] : [mark]),
    ...(note === '' ? [] : [`"${printable(note)}"`]),
  ].join(', ')

/** One line: id, numbers, title, status, and what the account noted. */
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
  return `${printable(wishId)}  ${printable(title)}  ${facts.join(' · ')}`
}

/** One line: when, what, and the most voted request that it moved. */
export function formatWishCorrection(correction: ListedWishCorrection): string {
  const { correctionId, kind, wishId, otherWishId, correctedAt, undoneAt, request } = correction
  const what = kind === 'merge' ? `merged ${otherWishId} into ${wishId}` : `split ${otherWishId} from ${wishId}`
  const title = request === null ? '' : `  "${printable(request.title)}"`
  const undone = undoneAt === null ? '' : `  undone ${printable(undoneAt).slice(0, 10)}`
  return `${printable(correctionId)}  ${printable(correctedAt).slice(0, 10)}  ${printable(what)}${title}${undone}`
}
