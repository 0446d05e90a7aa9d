import type { RequestStatus } from '../../../database/column-types.ts'
import { platformTitle } from '../../../platforms/titles.ts'
import type { BriefDocument, BriefQuote, BriefWish } from '../schemas.ts'
import type { Sentence, Sources } from './check.ts'

// Briefs of random wishes, true sentences on them, and mutations of these that are not true any more.

export type Random = () => number

const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!
const count = (random: Random, least: number, most: number) => least + Math.floor(random() * (most - least + 1))
/** In any order. */
export const shuffled = <T>(random: Random, values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ value }) => value)

/** What is asked: a title, and sentences as people write them. */
const asks: readonly (readonly [string, ...string[]])[] = [
  [
    'Dark mode for the editor',
    'Please add a dark mode to the editor, it hurts my eyes at night.',
    'A dark theme would be great for all of our night shift.',
  ],
  [
    'Offline sync',
    'I would like the app to sync my notes when I am offline on a train.',
    'Sync should work offline and resume once the network is back.',
  ],
  [
    'Export to CSV',
    'It would be great to export the table to CSV for our accountant.',
    'Please let me export invoices to a CSV file.',
  ],
  [
    'Import from Trello',
    'We need an import from Trello with all cards and labels.',
    'Could you import boards from Trello, please?',
  ],
  [
    'Two-factor authentication',
    'Our company requires two-factor authentication with hardware keys.',
    'Please support passkeys and hardware keys for login.',
  ],
  [
    'Keyboard shortcuts for tabs',
    'I want to switch tabs by keyboard shortcuts such as Ctrl and a digit.',
    'Shortcuts to move tabs would save me hours.',
  ],
  [
    'Self-hosted server',
    'Is there a plan to offer a self-hosted server with Docker?',
    'We would pay for a self-hosted version behind our firewall.',
  ],
  [
    'Bulk rename of files',
    'Allow me to rename many files at once with a pattern.',
    'Bulk rename with regular expressions would help photographers.',
  ],
  [
    'Calendar view',
    'A calendar view of tasks by due date would be lovely.',
    'Show my deadlines in a calendar, please.',
  ],
  [
    'Webhooks for new comments',
    'Send a webhook when somebody leaves a comment.',
    'Webhooks for comments would let us notify Slack.',
  ],
  [
    'Right-to-left layout',
    'Hebrew text needs a right-to-left layout in tables.',
    'Please mirror the sidebar for Arabic users.',
  ],
  ['Audit log', 'Admins need an audit log of permission changes.', 'We want to export the audit log to Splunk.'],
  ['Vim keybindings', 'Add vim keybindings to the text area.', 'Modal editing with vim commands would make me switch.'],
  ['Read receipts', 'Let me turn off read receipts for groups.', 'Read receipts should be optional in channels.'],
]

const people: readonly (readonly [name: string, handle: string])[] = [
  ['Ada Lovelace', 'adal'],
  ['Bo Diaz', 'bodiaz'],
  ['Chidi Okoye', 'chidi-o'],
  ['Dana Fox', 'foxy42'],
  ['Emil Krause', 'ekrause'],
  ['Farah Noor', 'farahn'],
  ['Gus Lind', 'guslind'],
  ['Hana Sato', 'hsato'],
  ['Ines Prat', 'iprat'],
  ['Jon Bell', 'jbell'],
]
const platforms = ['github', 'hackernews', 'stackexchange', 'discourse', 'lemmy', 'gitlab'] as const
const statuses: readonly (RequestStatus | null)[] = [null, 'open', 'planned', 'in_progress', 'completed', 'declined']
const dayOf = (random: Random, year: number) =>
  new Date(Date.UTC(year, count(random, 0, 11), count(random, 1, 28))).toISOString()

function makeWish(
  random: Random,
  [title, ...texts]: readonly [string, ...string[]],
  authors: (readonly [string, string])[],
): BriefWish {
  const places = shuffled(random, platforms).slice(0, count(random, 1, 3))
  const quoteOf = (text: string, at: number): BriefQuote => {
    const [name, handle] = authors.pop()!
    return {
      ...{ text, isWhole: true, requestId: `${title} ${at}`, votes: count(random, 1, 99) },
      author: pick(random, [`${name} (${handle})`, handle]),
      authorUrl: null,
      postedAt: dayOf(random, 2023),
      platform: pick(random, places),
      ...{ sourceName: null, sourceUrl: 'https://example.org/1', license: null },
    }
  }
  const quotes = texts.map(quoteOf)
  const counted = places.map((platform) => ({
    platform,
    requests: count(random, 3, 40),
    votes: count(random, 50, 900),
    votesAre: null,
  }))
  const sum = (key: 'requests' | 'votes') => counted.reduce((total, one) => total + one[key], 0)
  const status = pick(random, statuses)
  const isTold = status !== null && status !== 'open'
  return {
    wishId: title,
    ...{
      votes: sum('votes'),
      requestCount: sum('requests'),
      platforms: counted,
      quotes,
      status,
      unquoted: 0,
      voices: 0,
      authors: 0,
      crossPosts: 0,
    },
    title: { ...quotes[0]!, text: title },
    firstAskedAt: dayOf(random, 2021),
    lastAskedAt: dayOf(random, 2025),
    growth: { days7: null, days30: count(random, 1, 48) },
    statusFrom: isTold
      ? {
          status,
          changedAt: dayOf(random, 2024),
          isObserved: false,
          requestId: title,
          platform: places[0]!,
          sourceUrl: 'https://example.org/1',
        }
      : null,
  } as BriefWish
}

/** A brief of three to five wishes; nobody is quoted twice. */
export function makeBrief(random: Random): Pick<BriefDocument, 'wishes' | 'settled'> {
  const authors = shuffled(random, people)
  const wishes = shuffled(random, asks)
    .slice(0, count(random, 3, 5))
    .map((ask) => makeWish(random, ask, authors))
  return { wishes, settled: [] }
}

const words =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

/** A number below a million in words. */
export function inWords(value: number): string {
  if (value < 20) return words[value]!
  if (value < 100) return `${tens[Math.floor(value / 10) - 2]}${value % 10 === 0 ? '' : `-${words[value % 10]}`}`
  if (value >= 1_000)
    return `${inWords(Math.floor(value / 1_000))} thousand${value % 1_000 === 0 ? '' : ` ${inWords(value % 1_000)}`}`
  return `${words[Math.floor(value / 100)]} hundred${value % 100 === 0 ? '' : ` and ${inWords(value % 100)}`}`
}

const longDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const americanDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })
const dateWords = (random: Random, moment: string) =>
  pick(random, [longDay.format(new Date(moment)), americanDay.format(new Date(moment)), moment.slice(0, 10)])
const numberText = (random: Random, value: number) =>
  pick(random, [String(value), value.toLocaleString('en-US'), inWords(value)])
const lower = (text: string) => text[0]!.toLowerCase() + text.slice(1)
const handleOf = ({ author }: BriefQuote) => /\(([^()]*)\)$/.exec(author!)?.[1] ?? author!
const statusWord = (status: RequestStatus) => (status === 'in_progress' ? 'in progress' : status)

/** A sentence, and how it was made: `wish` is what it is about, `quote` what it quotes. */
export interface TrueSentence extends Sentence {
  wish: string
  quote: string | null
}

/** Sentences that a brief proves: quotations, counts, dates, statuses, who wants what. */
export function trueSentences({ wishes, quotes }: Sources, random: Random): TrueSentence[] {
  return [...wishes].flatMap(([number, wish]) => {
    const title = wish.title!.text
    const of = (text: string, quote: string | null = null): TrueSentence => ({
      text,
      wish: number,
      quote,
      wishes: [number],
      quotes: quote === null ? [] : [quote],
    })
    const place = pick(random, wish.platforms)
    const told = wish.statusFrom
    const asked = [...quotes]
      .filter(([id]) => id.startsWith(number))
      .flatMap(([id, quote]) => [
        of(`“${quote.text}” wrote ${handleOf(quote)} on ${dateWords(random, quote.postedAt!)}.`, id),
        of(`@${handleOf(quote)} asked: "${quote.text.slice(0, -1)}".`, id),
        of(`On ${platformTitle(quote.platform)}, ${handleOf(quote)} wants ${fragmentOf(quote.text)}.`, id),
      ])
    return [
      of(`${title}: ${numberText(random, wish.votes)} votes from ${numberText(random, wish.requestCount)} requests.`),
      of(`${numberText(random, wish.voices)} people asked for ${lower(title)}.`),
      of(
        `People ask for ${lower(title)} on ${wish.platforms.length === 1 ? platformTitle(place.platform) : `${inWords(wish.platforms.length)} platforms`}.`,
      ),
      of(`${title} has ${numberText(random, place.votes)} votes on ${platformTitle(place.platform)}.`),
      of(
        `${title} was first asked for on ${dateWords(random, wish.firstAskedAt)} and last on ${dateWords(random, wish.lastAskedAt)}.`,
      ),
      of(
        `${title} gained ${numberText(random, wish.growth.days30!)} votes in ${pick(random, ['', 'the last '])}30 days.`,
      ),
      ...(wish.status === null ? [] : [of(`${title} is ${statusWord(wish.status)}.`)]),
      ...(told?.changedAt
        ? [of(`${title} is ${statusWord(told.status)} since ${dateWords(random, told.changedAt)}.`)]
        : []),
      ...asked,
    ]
  })
}

/** Four words of a text, side by side. */
const fragmentOf = (text: string) => text.replace(/[,.?]/g, '').split(' ').slice(-5).join(' ')

const claims = [
  'and it is urgent',
  'and most people agree',
  'because the product is broken',
  'and nobody is against it',
  'and it will double your revenue',
  'within two weeks',
  'and customers are leaving over it',
  'which competitors have',
  'and it is easy to build',
  'more than anything else',
  'and the team promised it',
  'for ten years',
  'in every release',
  'and users are angry',
]

/** Mutations of a true sentence, none of which is true. */
export function mutationsOf(sentence: TrueSentence, { wishes, quotes }: Sources, random: Random): Sentence[] {
  const { text, wish: number, quote } = sentence
  const others = [...wishes].filter(([other]) => other !== number)
  const [otherNumber, other] = pick(random, others)
  const otherQuotes = [...quotes].filter(([id]) => !id.startsWith(number))
  const wish = wishes.get(number)!
  const made: (Sentence | null)[] = [
    // Unquoted claims, and a wish that is another one.
    { ...sentence, text: text.replace(/\.$/, ` ${pick(random, claims)}.`) },
    { ...sentence, text: text.replace(/\.$/, ` and ${lower(other.title!.text)}.`) },
    { ...sentence, wishes: [otherNumber], quotes: [] },
    ...numberMutations(sentence, wish, other, random),
    ...dateMutations(sentence, wish, random),
    text.includes('People ask for')
      ? {
          ...sentence,
          text: text.replace('People ask', pick(random, ['People do not ask', 'Nobody asks', 'Hardly anybody asks'])),
        }
      : null,
    ...(wish.status !== null && text.includes(` is ${statusWord(wish.status)}`)
      ? [
          {
            ...sentence,
            text: text.replace(
              statusWord(wish.status),
              pick(
                random,
                ['planned', 'completed', 'declined', 'in progress', 'shipped'].filter(
                  (word) => word !== statusWord(wish.status!) && !(wish.status === 'completed' && word === 'shipped'),
                ),
              ),
            ),
          },
        ]
      : []),
    ...platformMutations(sentence, wish, random),
  ]
  if (quote === null) {
    const title = lower(wish.title!.text)
    made.push(
      { ...sentence, text: `People have ${title}.` },
      { ...sentence, text: `${platformTitle(wish.platforms[0]!.platform)} has ${title}, with ${wish.votes} votes.` },
      { ...sentence, text: `${wish.title!.text} is there.` },
      { ...sentence, text: `People ask for ${title.split(' ').reverse().join(' ')}.` },
    )
  } else {
    const { text: quoted, author, platform } = quotes.get(quote)!
    const elsewhere = wish.platforms.find((one) => one.platform !== platform)
    if (elsewhere !== undefined)
      made.push({
        ...sentence,
        text: `On ${platformTitle(elsewhere.platform)}, @${handleOf({ author } as BriefQuote)} wants ${fragmentOf(quoted)}.`,
      })
    if (wish.status !== null)
      made.push({
        ...sentence,
        text: `@${handleOf({ author } as BriefQuote)} says that ${fragmentOf(quoted)} is ${statusWord(wish.status)}.`,
      })
    made.push({ ...sentence, text: `@${handleOf({ author } as BriefQuote)} has ${wish.votes} votes.` })
    const handle = handleOf({ author } as BriefQuote)
    const [otherId, otherQuote] = pick(random, otherQuotes)
    const inQuote = text.includes(quoted.slice(0, -1))
    made.push(
      { ...sentence, text: text.replace(handle, handleOf(otherQuote)) },
      {
        ...sentence,
        text: text.replace(handle, handleOf(otherQuote)),
        quotes: [quote, otherId],
        wishes: [number, otherId.slice(0, -1)],
      },
      { ...sentence, text: text.replace(handle, pick(random, ['somebody_else', 'zed99'])).replace(/^/, '@nobody: ') },
      { ...sentence, quotes: [otherId], wishes: [otherId.slice(0, -1)] },
      inQuote
        ? { ...sentence, text: text.replace(quoted.slice(0, -1), changedWord(quoted.slice(0, -1), random)) }
        : null,
      inQuote ? null : { ...sentence, text: text.replace(fragmentOf(quoted), fragmentOf(otherQuote.text)) },
      inQuote
        ? null
        : {
            ...sentence,
            text: text.replace(' wants ', pick(random, [' does not want ', ' hates ', ' stopped wanting '])),
          },
    )
  }
  return made.filter((one): one is Sentence => one !== null && (one.text !== text || one.wishes !== sentence.wishes))
}

/** A quotation in which one word is another, is missing, or is there twice; without its first or last word it is one still. */
function changedWord(quoted: string, random: Random): string {
  const parts = quoted.split(' ')
  const at = count(random, 1, parts.length - 2)
  return parts.toSpliced(at, 1, ...pick(random, [[], ['never'], [parts[at]!, parts[at]!], [`${parts[at]}s`]])).join(' ')
}

function numberMutations(
  sentence: TrueSentence,
  wish: BriefWish,
  other: BriefWish,
  random: Random,
): (Sentence | null)[] {
  const right = new Set([
    wish.votes,
    wish.requestCount,
    wish.platforms.length,
    wish.growth.days30,
    ...wish.platforms.flatMap((one) => [one.votes, one.requests]),
  ])
  const found = /(\d[\d,]*|[a-z]+(?:[ -](?:and )?(?:[a-z]+))*?) (votes|requests|platforms|people)/.exec(sentence.text)
  if (found === null) return []
  const [whole, , unit] = found
  const wrong = [
    count(random, 1, 2_000),
    other.votes,
    other.requestCount,
    wish.votes + 1,
    wish.requestCount * 10,
  ].filter((value) => !right.has(value))
  const replaced = wrong.map((value) => ({
    ...sentence,
    text: sentence.text.replace(whole, `${numberText(random, value)} ${unit}`),
  }))
  const swapped = { ...sentence, text: sentence.text.replace(unit!, unit === 'votes' ? 'requests' : 'votes') }
  const bounded = {
    ...sentence,
    text: sentence.text.replace(whole, `${pick(random, ['over', 'nearly', 'more than', 'at least'])} ${whole}`),
  }
  return [...replaced, swapped, bounded, { ...sentence, text: sentence.text.replace(whole, `half of the ${unit}`) }]
}

function dateMutations(sentence: TrueSentence, wish: BriefWish, random: Random): (Sentence | null)[] {
  const { text } = sentence
  const year = /\b20\d\d\b/.exec(text)?.[0]
  if (year === undefined) return []
  const shifted = { ...sentence, text: text.replace(year, String(Number(year) + pick(random, [-1, 1, 5]))) }
  if (!text.includes('first asked for on')) return [shifted]
  const exchanged = `${wish.title!.text} was first asked for on ${dateWords(random, wish.lastAskedAt)} and last on ${dateWords(random, wish.firstAskedAt)}.`
  return [shifted, { ...sentence, text: exchanged }]
}

function platformMutations(sentence: TrueSentence, wish: BriefWish, random: Random): Sentence[] {
  const named = wish.platforms
    .map(({ platform }) => platformTitle(platform))
    .find((title) => sentence.text.includes(title))
  if (named === undefined) return []
  const absent = platforms.filter((platform) => !wish.platforms.some((one) => one.platform === platform))
  return [{ ...sentence, text: sentence.text.replace(named, platformTitle(pick(random, absent))) }]
}
