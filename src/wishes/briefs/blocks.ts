import type { RequestStatus } from '../../database/column-types.ts'
import { platformTitle } from '../../platforms/titles.ts'
import { titled } from '../shares/bounded.ts'
import type { Brief, BriefDocument, BriefQuote, BriefWish } from './schemas.ts'

// A brief as people read it, once for all forms and for the page: headings, lines, quotations. Forms only escape and mark up.

/** A text, or a link away. */
export type Inline = string | { text: string; url: string | null; platform: string }

export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3; text: string }
  | { kind: 'line'; tone: 'text' | 'facts' | 'removed'; parts: Inline[] }
  | { kind: 'quote'; text: string; isWhole: boolean; origin: Inline[] }
  | { kind: 'ranking'; rows: Inline[][] }

const numbers = new Intl.NumberFormat('en-GB')
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

const number = (value: number) => numbers.format(value)
const counted = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`
const day = (moment: string) => days.format(new Date(moment))

/** Parts of a line with dots between them. */
const dotted = (parts: readonly (Inline | null)[]): Inline[] =>
  parts.filter((part) => part !== null).flatMap((part, at) => (at === 0 ? [part] : [' · ', part]))

const statusWords: Record<RequestStatus, string> = {
  open: 'open',
  planned: 'planned',
  in_progress: 'in progress',
  completed: 'completed',
  declined: 'declined',
  duplicate: 'closed as a duplicate',
  closed: 'closed',
}

const line = (parts: (Inline | null)[] | string, tone: 'text' | 'facts' | 'removed' = 'text'): Block => ({
  kind: 'line',
  tone,
  parts: typeof parts === 'string' ? [parts] : parts.filter((part) => part !== null),
})
const heading = (level: 1 | 2 | 3, text: string): Block => ({ kind: 'heading', level, text })

/** What a quotation is called: `2b` is the second of wish 2. @param wish from 1. @param at from 0. */
export const quoteId = (wish: number, at: number): string => `${wish}${String.fromCharCode(97 + at)}`

const removedText = 'Removed since: the request was deleted.'
const removedTitle = 'Removed since'

/** What stands instead of what was removed, in a line by itself, with the marks of its form around it and a number before it. */
const removalLine =
  /^(?:<[^<>]*>|[*#>\s])*(?:\d+\\?\. )?(?:removed since(?:: the request was deleted\.)?|its title cannot be passed on, or was removed since\.|\d+ parts? of this brief (?:was|were) removed since it was made: the requests were deleted\.)(?:<[^<>]*>|[*\s])*$/i

/** Whether a line of a file says nothing but that something was removed. */
export const isRemovalLine = (line: string): boolean => removalLine.test(line)

/** Whose words they are: author, day, place, licence. */
const originOf = (quote: BriefQuote): Inline[] =>
  dotted([
    { text: quote.author ?? 'unknown author', url: quote.authorUrl, platform: quote.platform },
    quote.postedAt === null ? 'no date given' : day(quote.postedAt),
    {
      text: [platformTitle(quote.platform), ...(quote.sourceName === null ? [] : [titled(quote.sourceName)])].join(
        ', ',
      ),
      url: quote.sourceUrl,
      platform: quote.platform,
    },
    quote.license === null ? null : `licence: ${titled(quote.license)}`,
    counted(quote.votes, 'vote'),
  ])

/** @param id by which sentences name it; null where there are none. */
const quoteBlock = (quote: BriefQuote | null, id: string | null): Block =>
  quote === null
    ? line(removedText, 'removed')
    : {
        kind: 'quote',
        text: quote.text,
        isWhole: quote.isWhole,
        origin: [...(id === null ? [] : [`${id} · `]), ...originOf(quote)],
      }

/** What a wish is called; it has no words of its own where no text may be passed on, or its request was deleted. */
const titleText = ({ title, platforms, unquoted, requestCount }: BriefWish): string =>
  title?.text ??
  (unquoted < requestCount
    ? removedTitle
    : `A wish on ${platforms.map(({ platform }) => platformTitle(platform)).join(', ')}`)

const platformsOf = ({ platforms }: BriefWish): string =>
  platforms
    .map(
      ({ platform, requests, votes, votesAre }) =>
        `${platformTitle(platform)} (${counted(requests, 'request')}, ${counted(votes, 'vote')}${votesAre === null ? '' : `: ${votesAre}`})`,
    )
    .join(', ')

const growthOf = ({ growth: { days7, days30 } }: BriefWish): string =>
  days7 === null && days30 === null
    ? 'not known yet'
    : [days7 === null ? null : `${signed(days7)} in 7 days`, days30 === null ? null : `${signed(days30)} in 30 days`]
        .filter((part) => part !== null)
        .join(', ')

const signed = (votes: number) => `${votes > 0 ? '+' : votes < 0 ? '−' : ''}${counted(Math.abs(votes), 'vote')}`

function statusLine({ status, statusFrom }: BriefWish): Inline[] {
  if (status === null) return ['Status: none is known.']
  const told = `Status: ${statusWords[status]}`
  if (statusFrom === null) return [`${told}.`]
  const { changedAt, isObserved, platform, sourceUrl } = statusFrom
  const since = changedAt === null ? '' : isObserved ? `, seen on ${day(changedAt)}` : ` since ${day(changedAt)}`
  return [`${told}${since}, by `, { text: platformTitle(platform), url: sourceUrl, platform }, '.']
}

const demandOf = ({ votes, voices, requestCount, crossPosts }: BriefWish): string =>
  [
    counted(votes, 'vote'),
    counted(voices, 'independent voice'),
    `${counted(requestCount, 'request')}${crossPosts === 0 ? '' : `, ${number(crossPosts)} of them cross-posted`}`,
  ].join(' · ')

/** When it was asked for. */
const askedOf = ({ firstAskedAt, lastAskedAt }: BriefWish): string =>
  day(firstAskedAt) === day(lastAskedAt)
    ? `Asked for on ${day(firstAskedAt)}.`
    : `First asked for on ${day(firstAskedAt)}, last on ${day(lastAskedAt)}.`

/** @param hasProse whether there are sentences that name its quotations. */
function wishBlocks(wish: BriefWish | null, at: number, hasProse: boolean): Block[] {
  if (wish === null) return [heading(3, `${at}. ${removedTitle}`), line(removedText, 'removed')]
  const { title, quotes, unquoted } = wish
  return [
    heading(3, `${at}. ${titleText(wish)}`),
    line(demandOf(wish), 'facts'),
    line(`${platformsOf(wish)}.`),
    line([`${askedOf(wish)} Growth: ${growthOf(wish)}. `, ...statusLine(wish)]),
    line(
      title === null ? ['Its title cannot be passed on, or was removed since.'] : ['Title by ', ...originOf(title)],
      'facts',
    ),
    ...quotes.map((quote, quoteAt) => quoteBlock(quote, hasProse ? quoteId(at, quoteAt) : null)),
    ...(quotes.length === 0
      ? [line('No sentence of it can be quoted; the title is all that is said in words.', 'facts')]
      : []),
    ...(unquoted === 0
      ? []
      : [line(`Not quoted: ${counted(unquoted, 'request')} on platforms whose texts are not passed on.`, 'facts')]),
  ]
}

function aboutText({ topic, query, searched, filters, since, until }: BriefDocument['about']): string {
  const subject = query !== null ? `“${query}”` : topic !== null ? `“${topic}”` : 'everything in the cache'
  const narrowed = [
    searched === null ? null : `searched as “${searched}”`,
    query !== null && topic !== null ? `topic “${topic}”` : null,
    ...Object.entries(filters ?? {}).map(
      ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
    ),
    since === null ? null : `asked for since ${since}`,
    until === null ? null : `asked for before ${until}`,
  ].filter((part) => part !== null)
  return narrowed.length === 0 ? subject : `${subject} (${narrowed.join('; ')})`
}

/** The first lines: what is wanted most, with how much. */
const ranking = (wishes: readonly (BriefWish | null)[]): Block => ({
  kind: 'ranking',
  rows: wishes.slice(0, 3).map((wish) => (wish === null ? [removedText] : [titleText(wish), ` – ${demandOf(wish)}`])),
})

/** What a model says of it; each sentence with what proves it. */
function proseBlocks({ prose }: BriefDocument): Block[] {
  if (prose === null) return []
  const { sentences, removed } = prose
  const missing = `${counted(removed, 'sentence')} of the model ${removed === 1 ? 'is' : 'are'} not here, because the brief does not prove ${removed === 1 ? 'it' : 'them'}.`
  return [
    heading(2, 'In short'),
    ...sentences.map((sentence) =>
      sentence === null
        ? line(removedText, 'removed')
        : line(`${sentence.text} [${(sentence.quotes.length > 0 ? sentence.quotes : sentence.wishes).join(', ')}]`),
    ),
    line(
      `A model wrote these sentences. The wish or the quotation that proves each is in brackets.${removed === 0 ? '' : ` ${missing}`}`,
      'facts',
    ),
  ]
}

function leftOutBlocks({ leftOut, totals }: BriefDocument): Block[] {
  const { wishes, maybe, unlikely, unquotedPlatforms } = leftOut
  const more = totals.hasMoreWishes ? ' Only the first 100 wishes that were found were compared.' : ''
  return [
    heading(2, 'What was left out'),
    line(
      wishes === 0 ? `No wish that was found.${more}` : `${counted(wishes, 'wish', 'wishes')} with less demand.${more}`,
    ),
    line(
      `${counted(maybe, 'text')} that may be ${maybe === 1 ? 'a request' : 'requests'}, and ${counted(unlikely, 'text')} that ${unlikely === 1 ? 'is' : 'are'} probably none: no number counts them.`,
    ),
    ...(unquotedPlatforms.length === 0
      ? []
      : [
          line(
            `Words from ${unquotedPlatforms.map(platformTitle).join(', ')}: what they count is here, but their texts are not passed on.`,
          ),
        ]),
  ]
}

/** A whole brief. */
export function blocksOf({ document, snapshot, removed }: Brief): Block[] {
  const { asOf, question, about, totals, wishes, settled } = document
  const hasProse = document.prose !== null
  const found = `${counted(totals.requests, 'request')}${totals.requestsAreExact ? '' : ' and more'} for ${counted(totals.wishes, 'wish', 'wishes')}${totals.hasMoreWishes ? ' and more' : ''}`
  return [
    heading(1, `What people want: ${aboutText(about)}`),
    ...(question === null ? [] : [line(`Question: ${question}`)]),
    line(`${found}, as of ${moments.format(new Date(asOf))} UTC.`),
    line(`Snapshot sha256:${snapshot}`, 'facts'),
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
          heading(2, 'Wanted most'),
          ranking(wishes),
          ...proseBlocks(document),
          heading(2, 'In their words'),
          ...wishes.flatMap((wish, at) => wishBlocks(wish, at + 1, hasProse)),
        ]),
    ...(settled.length === 0
      ? []
      : [
          heading(2, 'Done or declined'),
          ...settled.flatMap((wish, at) => wishBlocks(wish, wishes.length + at + 1, hasProse)),
        ]),
    ...leftOutBlocks(document),
    heading(2, 'How to read it'),
    line(
      'A wish is a set of requests that ask for the same. Wishes are in the order of their votes. Votes are counted as each platform counts them, such as likes or a score, and added. An independent voice is a person who asked in words of their own: one text posted in several places is one voice. Every quotation is word for word from the public post that is linked beside it.',
    ),
  ]
}
