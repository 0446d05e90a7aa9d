import { plural, t } from '@lingui/core/macro'
import type { MarkChange, RequestStatus } from '../api/types.ts'
import type { Mark, Order } from '../search/view.ts'
import { number, percent } from '../shell/format.ts'
import { counts } from './counts.ts'
import { searchTexts } from './search.ts'

const markNames: Record<Mark, string> = { planned: t`Planned`, done: t`Done`, ignored: t`Ignored` }

/** Long titles would hide the undo. */
const short = (title: string) => {
  const characters = [...title]
  return characters.length > 60 ? `${characters.slice(0, 60).join('')} …` : title
}

export const wishTexts = {
  title: t`Wishes`,
  listLabel: t`Wishes`,
  viewsLabel: t`Views`,
  views: {
    all: t`All`,
    rising: t`Rising`,
    new: t`New`,
    planned: t`Planned`,
    done: t`Done`,
    starred: t`Starred`,
    ignored: t`Ignored`,
  },
  orders: {
    relevance: t`Best match`,
    votes: t`Most votes`,
    growing: t`Rising`,
    requests: t`Most requests`,
    new: t`Newest`,
  } satisfies Record<Order, string>,
  facets: { period: t`Asked`, platform: t`Platform`, status: t`Status`, votes: t`Votes`, year: t`Year`, tag: t`Tags` },
  facetLabel: (name: string, count: number | null, isOn: boolean) => {
    const counted = count === null ? name : `${name}: ${counts.requests(count)}`
    return isOn ? t`${counted}, selected` : counted
  },
  allChoices: (count: number) => t`All ${number(count)}`,
  votesOrMore: (votes: number) => t`${number(votes)} or more`,
  period: (days: number | null) => (days === null ? t`Any time` : days === 365 ? t`1 year` : t`${days} days`),
  since: t`From`,
  until: t`To`,
  count: (wishes: number, more: boolean) => (more ? t`The first ${number(wishes)} wishes` : counts.wishes(wishes)),
  countOfRequests: (requests: number, more: boolean) =>
    more ? t`The first ${number(requests)} texts` : plural(requests, { one: '# text', other: '# texts' }),
  ofRequests: (total: number, isExact: boolean) =>
    isExact ? t`· ${counts.requests(total)} in all.` : t`· more than ${number(total)} requests in all.`,
  comparedWith: (now: number, before: number) => {
    if (before === 0) return now === 0 ? '' : t`None in the period before.`
    if (now === before) return t`As many as in the period before.`
    const change = percent(Math.abs(now - before) / before)
    return now > before
      ? t`${change} more than in the period before (${number(before)}).`
      : t`${change} fewer than in the period before (${number(before)}).`
  },
  /** Of a search: how many have all words of the query, and how many only some. */
  found: (shown: number, withAll: number, more: boolean) => {
    const some = shown - withAll
    if (shown === 0) return t`No wish has these words.`
    if (some === 0)
      return more ? t`The first ${number(shown)} wishes.` : plural(shown, { one: '# wish.', other: '# wishes.' })
    const all =
      withAll === 0
        ? t`No wish has all words`
        : plural(withAll, { one: '# wish has all words', other: '# wishes have all words' })
    return more
      ? t`${all}; more than ${number(some)} have some.`
      : t`${all}; ${plural(some, { one: '# has some.', other: '# have some.' })}`
  },
  stillShown: (query: string) =>
    query === '' ? t`Still shown: the list from before.` : t`Still shown: the results for “${query}”.`,
  someWords: t`Only some of the words`,
  searchInstead: (typed: string) => t`Search for “${typed}” instead`,
  nothingGrew: t`No wish gained votes in the last 7 days`,
  nothingGrewAdvice: t`Votes are compared with those of earlier collections. A watch collects a topic regularly.`,
  nothingListed: t`No wish here`,
  nothingMarked: (mark: Mark) => t`No wish is marked: ${markNames[mark].toLowerCase()}`,
  nothingMarkedAdvice: t`Open a wish to mark it; it is listed here then.`,
  markChip: (mark: Mark) => t`Marked: ${markNames[mark].toLowerCase()}`,
  likelihood: searchTexts.likelihood,
  trend: (weeks: number, from: number, to: number) =>
    t`Votes in ${plural(weeks, { one: '# week', other: '# weeks' })}: from ${number(from)} to ${number(to)}`,
  requestsBriefly: (count: number) => counts.requests(count),
  voicesBriefly: (count: number) => counts.voices(count),
  voicesAre: t`People who ask in words of their own: an author counts once, and so does a text, wherever it was posted`,
  lastAskedAt: (when: string) => t`Last asked ${when}`,
  toSource: (platform: string) => t`Open at ${platform}`,
  votesUnit: (votes: number) => plural(votes, { one: 'vote', other: 'votes' }),
  panelLabel: t`Wish`,
  statusOf: (status: RequestStatus | null) => (status === null ? '–' : searchTexts.status(status)),
  marks: markNames,
  markedBy: t`Your decision`,
  starred: t`Starred`,
  changed: (title: string, { mark, starred, note, owner }: MarkChange) =>
    mark !== undefined
      ? mark === null
        ? t`“${short(title)}” is no longer marked.`
        : t`Marked as ${markNames[mark].toLowerCase()}: “${short(title)}”.`
      : starred !== undefined
        ? `${starred ? t`Starred` : t`No longer starred`}: “${short(title)}”.`
        : owner !== undefined
          ? owner === ''
            ? t`“${short(title)}” has no owner any more.`
            : t`${owner} owns “${short(title)}”.`
          : note === ''
            ? t`Note removed.`
            : t`Note saved.`,
  notSaved: t`It could not be saved. Try again.`,
  merged: (title: string, other: string) => t`“${short(title)}” and “${short(other)}” are one wish now.`,
  parted: (title: string) => t`Not the same: “${short(title)}”.`,
  splitOff: (title: string) => t`“${short(title)}” is now a wish of its own.`,
  doneOf: (done: number, shown: number) =>
    plural(done, { one: `# of ${number(shown)} is done.`, other: `# of ${number(shown)} are done.` }),
}
