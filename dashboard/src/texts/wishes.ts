import { plural, t } from '@lingui/core/macro'
import type { MarkChange, RequestStatus } from '../api/types.ts'
import type { Mark, Order } from '../search/view.ts'
import { number, percent, signed } from '../shell/format.ts'
import type { IssueTracker } from '../wishes/issue-trackers.ts'
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
  markChip: (mark: Mark) => t`Marked: ${markNames[mark].toLowerCase()}`,
  likelihood: searchTexts.likelihood,
  trend: (from: number, to: number) => t`Votes in 12 weeks: from ${number(from)} to ${number(to)}`,
  requestsBriefly: (count: number) => counts.requests(count),
  lastAskedAt: (when: string) => t`Last asked ${when}`,
  toSource: (platform: string) => t`Open at ${platform}`,
  votesUnit: (votes: number) => plural(votes, { one: 'vote', other: 'votes' }),
  votesBriefly: (shown: string, votes: number) => `${shown} ${plural(votes, { one: 'vote', other: 'votes' })}`,

  panelLabel: t`Wish`,
  openPage: t`Open as a page`,
  closePanel: t`Close`,
  loadingTitle: t`Wish`,
  about: t`About this wish`,
  votes: t`Votes`,
  requests: t`Requests`,
  statusOf: (status: RequestStatus | null) => (status === null ? '–' : searchTexts.status(status)),
  statusCount: (status: RequestStatus | null, requests: number) =>
    `${status === null ? t`no status` : searchTexts.status(status)}: ${number(requests)}`,
  firstAskedAgo: (ago: string) => t`first asked ${ago}`,
  lastAskedAgo: (ago: string) => t`last asked ${ago}`,
  askedFromTo: (first: string, last: string) =>
    first === last ? t`asked on ${first}` : t`asked from ${first} to ${last}`,
  gained7: t`Votes gained in the last 7 days`,
  grewIn7: (votes: number | null) => (votes === null ? t`growth not known yet` : t`${signed(votes)} in 7 days`),
  isMergedByModel: t`A model took some of these requests for the same.`,
  votesAre: (kinds: string[]) => t`What is counted as votes: ${kinds.join('; ')}.`,
  history: t`Over time`,
  votesOverTime: t`Votes at the end of each week`,
  week: t`Week`,
  overTime: t`Requests, by when they were asked`,
  from: t`From`,
  members: t`Who asks for it`,
  topics: t`Found under the topics`,

  markLabel: t`What you decided`,
  marks: markNames,
  markedBy: t`Your decision`,
  star: t`Star`,
  starred: t`Starred`,
  owner: t`Owner`,
  nobody: t`nobody yet`,
  ownedBy: (name: string) => t`owned by ${name}.`,
  note: t`Note`,
  addNote: t`Add a note`,
  changeNote: t`Edit`,
  notePlaceholder: t`Who owns it, why, what is next. Only your account sees it.`,
  saveNote: t`Save`,
  cancel: t`Cancel`,
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
  splitOffButton: t`Asks for something else`,
  possiblySame: t`Possibly the same`,
  possiblySameIntro: t`Not counted above.`,
  same: t`Same`,
  sameLabel: (title: string) => t`The same: ${title}`,
  notSame: t`Not the same`,
  notSameLabel: (title: string) => t`Not the same: ${title}`,
  mergeSearch: t`Another wish is the same? Find it:`,
  mergePlaceholder: t`Words of its title`,
  othersFound: (count: string) => t`${count} found`,

  copyMarkdown: t`Copy as Markdown`,
  copyLink: t`Copy link`,
  print: t`Print`,
  andMore: (count: number) => t`and ${plural(count, { one: '# more request', other: '# more requests' })}`,
  openIssue: t`Open as an issue`,
  tracker: t`Tracker`,
  trackers: { github: 'GitHub', gitlab: 'GitLab', linear: 'Linear' } satisfies Record<IssueTracker, string>,
  projectOf: {
    github: t`Repository`,
    gitlab: t`Project`,
    linear: t`Team key`,
  } satisfies Record<IssueTracker, string>,
  projectExample: {
    github: 'owner/repository',
    gitlab: 'group/project',
    linear: 'ENG',
  } satisfies Record<IssueTracker, string>,
  openIssueAt: {
    github: t`Open on GitHub`,
    gitlab: t`Open on GitLab`,
    linear: t`Open in Linear`,
  } satisfies Record<IssueTracker, string>,
}
