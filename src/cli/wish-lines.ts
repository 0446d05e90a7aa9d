import { importTitle } from '../platforms/titles.ts'
import { settledInWords, withStars } from '../wishes/wish-words.ts'
import type { Data, Schemas } from './api-types.ts'
import { formatRow, type Row } from './output.ts'
import { count, formatDay, printable } from './text.ts'

type ListedWish = Data<'listWishes'>['results'][number]

/** The account's marks on a wish. */
export const formatMark = ({ mark, starred, note, owner }: NonNullable<ListedWish['mark']>): string =>
  [
    ...(starred ? ['starred'] : []),
    ...(mark === null ? [] : [mark]),
    ...(owner === '' ? [] : [`owned by ${printable(owner)}`]),
    ...(note === '' ? [] : [`"${printable(note)}"`]),
  ].join(', ')

/** What one's own people ask for, beside the public numbers; empty if nothing. */
export const formatOwn = (own: Schemas['OwnAsks'] | null): string =>
  own === null ? '' : `own: ${count(own.asks, 'ask')}, ${count(own.votes, 'vote')}`

const wordsOf = (status: string | null) => status?.replaceAll('_', ' ') ?? ''

/** A wish in a list: numbers, status and marks. */
export function wishRow(wish: ListedWish): Row {
  const { requestCount, voices, growth, mark } = wish
  const facts = [
    count(requestCount, 'request'),
    withStars(count(wish.votes, 'vote'), wish.topRequest.stars, requestCount),
    voices < requestCount ? count(voices, 'voice') : '',
    growth.days30 === null || growth.days30 === 0
      ? ''
      : `${growth.days30.toLocaleString('en-US')} new votes in 30 days`,
    formatOwn(wish.own),
    wish.platforms.join(', '),
    wordsOf(wish.status),
    mark === null ? '' : formatMark(mark),
  ]
  return { title: wish.title, facts, id: wish.wishId }
}

const gained = (votes: number | null) => (votes === null ? 'not known yet' : votes.toLocaleString('en-US'))

/** Two lines: a request with votes and place, and its URL. */
const formatMember = ({ _id, title, votes, stars, status, sourceUrl, ...request }: Schemas['Request']): string[] => [
  `  ${formatRow({ title, facts: [withStars(count(votes, 'vote'), stars), importTitle(request) ?? request.sourcePlatform, wordsOf(status)], id: _id })}`,
  `    ${printable(sourceUrl)}`,
]

/** A part of a wish or topic, with its numbers. */
export const formatPart = (name: string, { requests, votes }: { requests: number; votes: number }): string =>
  `${printable(name)} ${count(requests, 'request')}, ${count(votes, 'vote')}`

/** One platform's part, and what its votes are. */
export const formatPlatform = (one: Data<'readTopic'>['platforms'][number]): string =>
  formatPart(one.platform, one) + (one.votesAre === null ? '' : ` (${printable(one.votesAre)})`)

function formatParts({ votesByPlatform, products, largestShare, isMergedByModel, ...who }: Data<'readWish'>): string[] {
  return [
    `By ${count(who.voices, 'voice')}: ${count(who.authors, 'author')}, ${count(who.crossPosts, 'cross-post')}`,
    `On ${votesByPlatform.map(formatPlatform).join('; ')}`,
    ...(products.length === 0 ? [] : [`By product: ${products.map((one) => formatPart(one.product, one)).join('; ')}`]),
    ...(largestShare === null ? [] : [`The largest request has ${Math.round(100 * largestShare)} % of the votes.`]),
    ...(isMergedByModel ? ['A model took some of its requests for the same.'] : []),
  ]
}

/** A wish with its requests, dates and possibly equal wishes. @param isContinued whether requests were shown before */
export function formatShownWish(wish: Data<'readWish'>, isContinued: boolean): string[] {
  const { firstAskedAt, lastAskedAt, growth, members, timeline, possiblySame, requestCount } = wish
  const requests = members.results.flatMap(formatMember)
  if (isContinued) return requests
  return [
    formatRow(wishRow(wish)),
    ...settledInWords(wish),
    `Asked first on ${formatDay(firstAskedAt)}, last on ${formatDay(lastAskedAt)}`,
    `Votes gained in 7 days: ${gained(growth.days7)}; in 30 days: ${gained(growth.days30)}`,
    ...(requestCount <= 1 ? [] : formatParts(wish)),
    ...(timeline.length === 0 ? [] : ['Asked for, by when:']),
    ...timeline
      .filter(({ requests: asked }) => asked > 0)
      .map((one) => `  ${formatDay(one.from).padEnd(12)}  ${count(one.requests, 'request')}`),
    ...(possiblySame.length === 0 ? [] : ['Possibly the same, and not counted:']),
    ...possiblySame.map((other) => `  ${formatRow(wishRow(other))}`),
    'Its requests:',
    ...requests,
  ]
}

/** A merge or split in a list: the most voted request it moved, if any is left, its kind and time. */
export function correctionRow(correction: Data<'listWishCorrections'>['results'][number]): Row {
  const { correctionId, kind, wishId, otherWishId, correctedAt, undoneAt, request } = correction
  const whats = {
    merge: `merged ${otherWishId} into ${wishId}`,
    split: `split ${otherWishId} from ${wishId}`,
    part: `${otherWishId} and ${wishId} are not the same`,
    skip: `not asked again about ${otherWishId} and ${wishId}`,
  }
  const undone = undoneAt === null ? '' : `undone ${formatDay(undoneAt)}`
  return {
    title: request?.title ?? { merge: 'A merge', split: 'A split', part: 'An answer', skip: 'An answer' }[kind],
    facts: [whats[kind], formatDay(correctedAt), undone],
    id: correctionId,
  }
}
