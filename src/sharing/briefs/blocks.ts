import { platformTitle } from '../../platforms/titles.ts'
import { formatDay, formatMoment } from '../../runtime/dates.ts'
import { type Block, counted, heading, line, number, removedText } from './lines.ts'
import type { Brief, BriefDocument, BriefWish } from './schemas.ts'
import { demandOf, hasLostTitle, placeOf, titleText, wishBlocks } from './wish-blocks.ts'

// A brief's readable content, the same for all formats and the page; formats only add markup.

const whenOf = (given: string) => (given.length > 10 ? formatMoment(given) : formatDay(given))

function aboutText({ topic, query, searched, filters, since, until }: BriefDocument['about']): string {
  const subject = query !== null ? `“${query}”` : topic !== null ? `“${topic}”` : 'everything in the cache'
  const narrowed = [
    searched === null ? null : `searched as “${searched}”`,
    query !== null && topic !== null ? `topic “${topic}”` : null,
    ...Object.entries(filters ?? {}).map(
      ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
    ),
    since === null ? null : `asked for since ${whenOf(since)}`,
    until === null ? null : `asked for before ${whenOf(until)}`,
  ].filter((part) => part !== null)
  return narrowed.length === 0 ? subject : `${subject} (${narrowed.join('; ')})`
}

const ranking = (wishes: readonly (BriefWish | null)[]): Block => ({
  kind: 'ranking',
  rows: wishes
    .slice(0, 3)
    .map((wish) =>
      wish === null || hasLostTitle(wish)
        ? [removedText]
        : [titleText(wish), wish.title === null ? '' : ` (${placeOf(wish.title)})`, ` – ${demandOf(wish)}`],
    ),
})

function leftOutBlocks(document: BriefDocument, isShared: boolean): Block[] {
  const { leftOut, totals } = document
  const { wishes, maybe, unlikely, unquotedPlatforms } = leftOut
  const more = totals.hasMoreWishes ? ' Only the first 100 wishes that were found were compared.' : ''
  return [
    heading(2, 'What was left out'),
    line(
      wishes === 0
        ? `Every wish that was found is above.${more}`
        : `${counted(wishes, 'more wish', 'more wishes')}.${more}`,
    ),
    ...(totals.inPart
      ? [
          line(
            `Not counted anywhere: ${counted(totals.inPart, 'request')}${totals.inPartIsExact ? '' : ' or more'} with some of the words, but not all.`,
          ),
        ]
      : []),
    ...(maybe + unlikely === 0
      ? []
      : [
          line(
            `Not counted anywhere: ${counted(maybe, 'text')} that may be ${maybe === 1 ? 'a request' : 'requests'}, and ${counted(unlikely, 'text')} that ${unlikely === 1 ? 'is' : 'are'} probably none.`,
          ),
        ]),
    ...accuracyBlocks(document),
    ...(unquotedPlatforms.length === 0
      ? []
      : [
          line(
            `Words from ${unquotedPlatforms.map(platformTitle).join(', ')}: ${isShared ? 'what they count is here, but their texts are not passed on' : 'they are for you alone. Their platforms do not let them be passed on, and a shared page leaves them out'}.`,
          ),
        ]),
  ]
}

const legend =
  'Votes: who agrees with a request where it was posted. Asked: who posted one, in words of their own. Requests about different products are different wishes.'

function votesText({ votesAre = [] }: BriefDocument): string {
  const told = votesAre.map((one) => `${platformTitle(one.platform)}: ${one.votesAre}`)
  return told.length === 0 ? '' : `A vote is, on ${told.join('; ')}. `
}

/** How often detection is right, from labels of randomly drawn texts. */
function accuracyBlocks({ accuracy }: BriefDocument): Block[] {
  if (accuracy === undefined) return []
  const texts = (['shown', 'hidden'] as const).flatMap((shown) => {
    const { share, low, high, labels, from } = accuracy[shown]
    if (share === null || low === null || high === null) return []
    const whose = from === 'operator' ? ' by the operator' : ''
    return `Of 100 ${shown} texts, ${ofHundred(share)} (${ofHundred(low)} to ${ofHundred(high)}) are requests (${counted(labels, 'answer')}${whose}).`
  })
  return texts.length === 0 ? [] : [line(texts.join(' '))]
}

const ofHundred = (share: number) => number(Math.round(share * 100))

/** A whole brief as blocks. @param isShared whether anyone with the link reads it, so it went through `forOthers` */
export function blocksOf({ document, snapshot, removed }: Brief, { isShared = false } = {}): Block[] {
  const how = { isShared, unquotedPlatforms: document.leftOut.unquotedPlatforms }
  const { asOf, question, about, totals, wishes, settled } = document
  const found = `${counted(totals.wishes, 'wish', 'wishes')}${totals.hasMoreWishes ? ' and more' : ''} in ${counted(totals.requests, 'request')}${totals.requestsAreExact ? '' : ' and more'}`
  return [
    heading(1, `What people want: ${aboutText(about)}`),
    ...(question === null ? [] : [line(`Question: ${question}`)]),
    line(`${found}, as of ${formatMoment(asOf)}.`),
    ...(removed === 0
      ? []
      : [
          line(
            `${counted(removed, 'part')} of this brief ${removed === 1 ? 'was' : 'were'} removed since it was made: the requests were deleted.`,
            'removed',
          ),
        ]),
    ...(wishes.length === 0
      ? [line('Nothing that people want, and that is not done, was found.')]
      : [
          heading(2, 'Wanted most, and not done'),
          ranking(wishes),
          line(legend, 'facts'),
          heading(2, 'In their words'),
          ...wishes.flatMap((wish, at) => wishBlocks(wish, at + 1, how)),
        ]),
    ...(settled.length === 0
      ? []
      : [
          heading(2, 'Done or declined'),
          ...settled.flatMap((wish, at) => wishBlocks(wish, wishes.length + at + 1, how)),
        ]),
    ...leftOutBlocks(document, isShared),
    heading(2, 'How to read it'),
    line(
      `A wish is a set of requests that ask for the same. Wishes are in the order of their votes, whatever a platform counts as one${about.topic === null ? '' : ': those that say the topic in words first, then those that have it only in their tags or source'}. ${votesText(document)}People who asked are independent voices: one text that is posted in several places, or under several names, is one. Every quotation is word for word from the public post that is linked beside it.`,
    ),
    line(`Snapshot sha256:${snapshot} (wishwell brief verify finds what was changed since)`, 'facts'),
  ]
}
