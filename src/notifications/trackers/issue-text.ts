import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { publicPagesOf } from '../../platforms/registry.ts'
import { platformTitle } from '../../platforms/titles.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { formatDay } from '../../runtime/dates.ts'
import { type ForeignText, foreignText } from '../../runtime/text/foreign.ts'
import { type Block, counted, dotted, type Inline, line, withTexts } from '../../sharing/briefs/lines.ts'
import { briefMarkdown } from '../../sharing/briefs/markdown.ts'
import { quoteOf, tellingSentence, titleQuote } from '../../sharing/briefs/quotes.ts'
import { originOf } from '../../sharing/briefs/wish-blocks.ts'
import { bounded } from '../../sharing/pages/bounded.ts'
import { readPassedOnWish } from '../../sharing/shares/content.ts'
import { forTracker, type TrackerText, titleForTracker } from './references.ts'

/** What an issue says of a wish in plain text, as read or escaped for a tracker; adapters only escape markup. */
export interface IssueText<Text extends ForeignText | TrackerText> {
  /** One line, at most 200 characters. */
  title: Text
  blocks: Block<Text>[]
  /** The same numbers for programs. */
  counts: {
    requests: number
    votes: number
    voices: number
    own: { asks: number; votes: number; voices?: number } | null
  }
}

const maxTitle = 200
/** Requests quoted in an issue, most voted first; the link leads to the rest. */
const maxQuotes = 5

type PassedOnWish = NonNullable<Awaited<ReturnType<typeof readPassedOnWish>>>

const postLink = ({ sourcePlatform, sourceUrl }: Pick<RequestRecord, 'sourcePlatform' | 'sourceUrl'>): Inline => ({
  text: `A post on ${platformTitle(sourcePlatform)}`,
  url: sourceUrl,
  platform: sourcePlatform,
})

/** A quotation with its origin; a link if the platform's terms forbid texts. */
function requestBlock(record: RequestRecord): Block {
  const sentence = tellingSentence(record)
  const quote = sentence === null ? titleQuote(record) : quoteOf(record, sentence)
  const shows = publicPagesOf(record.sourcePlatform as PlatformName).show === 'texts'
  if (quote === null || !shows) return line([postLink(record)])
  return { kind: 'quote', text: quote.text, isWhole: quote.isWhole, origin: originOf(quote) }
}

function ownLine({ own }: PassedOnWish): Block[] {
  if (own === null || own.asks === 0) return []
  const voices = own.voices === undefined ? '' : ` by ${counted(own.voices, 'person', 'people')}`
  return [line(`Own feedback, in none of these numbers: ${counted(own.asks, 'ask')}${voices}.`)]
}

/**
 * The issue text of a wish: what a public share may show (`wishes/shares`), plus the number of imported requests. Null
 * if nothing is left.
 * @param publicUrl the base of links; null for none
 */
export async function readIssueText(
  executor: Executor,
  { publicUrl, ...read }: { accountId: string; wishId: string; now: Date; publicUrl: string | null },
): Promise<IssueText<ForeignText> | null> {
  const content = await readPassedOnWish(executor, read)
  if (content === null) return null
  const { wish, platforms, own } = content
  const { requestCount: requests, votes, voices, firstAskedAt } = wish
  const places = wish.platforms.map(platformTitle).join(', ')
  const shown = platforms
    .flatMap((one) => one.shown)
    .toSorted((one, other) => other.votes - one.votes || (one._id < other._id ? -1 : 1))
    .slice(0, maxQuotes)
  const more = requests - shown.length
  const link: Inline[] =
    publicUrl === null ? [] : [{ text: 'All of it', url: `${publicUrl}/wishes/${wish.wishId}`, platform: '' }]
  const title = bounded((wish.titleFrom?.title ?? '').replace(/\s+/gu, ' '), maxTitle - 1).text
  return {
    title: foreignText(title === '' ? `A wish with ${counted(votes, 'vote')} on ${places}` : title),
    blocks: [
      line(
        dotted([
          counted(votes, 'vote'),
          `asked for by ${counted(voices, 'person', 'people')}`,
          places,
          `first on ${formatDay(firstAskedAt)}`,
        ]),
      ),
      ...ownLine(content),
      ...shown.map(requestBlock),
      ...(more > 0 || link.length > 0
        ? [line(dotted([more > 0 ? `${counted(more, 'more request')}` : null, ...link]))]
        : []),
    ].map((block) => withTexts(block, foreignText)),
    counts: { requests, votes, voices, own },
  }
}

/** Breaks mentions and references. Escapes would not do: trackers search the rendered Markdown. */
export const issueForTracker = ({ title, blocks, counts }: IssueText<ForeignText>): IssueText<TrackerText> => ({
  title: titleForTracker(title),
  blocks: blocks.map((block) => withTexts(block, forTracker)),
  counts,
})

/** Markdown without foreign markup. @param linkTo rewrites a URL; null (if a link would notify people) leaves text */
export function markdownOf(
  { blocks }: IssueText<TrackerText>,
  linkTo: (url: URL) => string | null = ({ href }) => href,
): string {
  const linked = (part: Exclude<Inline, string>): Inline => {
    const url = part.url === null ? null : URL.parse(part.url)
    const link = url && linkTo(url)
    const address = url === null || link !== null ? '' : forTracker(foreignText(` (${url.host}${url.pathname})`))
    return { ...part, text: part.text + address, url: link }
  }
  return briefMarkdown(blocks.map((block) => withTexts<string, string>(block, (text) => text, linked)))
}
