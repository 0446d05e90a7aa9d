import type { MarkChange, RequestStatus } from '../api/types.ts'
import type { Mark, Order } from '../search/view.ts'
import { number, plural, signed } from '../shell/format.ts'
import type { IssueTracker } from '../wishes/issue-trackers.ts'
import { searchTexts } from './search.ts'

const markNames: Record<Mark, string> = { planned: 'Planned', done: 'Done', ignored: 'Ignored' }

/** Long titles would hide the undo. */
const short = (title: string) => {
  const characters = [...title]
  return characters.length > 60 ? `${characters.slice(0, 60).join('')} …` : title
}

export const wishTexts = {
  title: 'Wishes',
  listLabel: 'Wishes',
  viewsLabel: 'Views',
  views: {
    all: 'All',
    rising: 'Rising',
    new: 'New',
    planned: 'Planned',
    done: 'Done',
    starred: 'Starred',
    ignored: 'Ignored',
  },
  orders: {
    relevance: 'Best match',
    votes: 'Most votes',
    growing: 'Rising',
    requests: 'Most requests',
    new: 'Newest',
  } satisfies Record<Order, string>,
  facets: { period: 'Asked', platform: 'Platform', status: 'Status', votes: 'Votes', year: 'Year', tag: 'Tags' },
  facetLabel: (name: string, count: number | null, isOn: boolean) =>
    `${name}${count === null ? '' : `: ${plural(count, 'request')}`}${isOn ? ', selected' : ''}`,
  allChoices: (count: number) => `All ${number(count)}`,
  votesOrMore: (votes: number) => `${number(votes)} or more`,
  period: (days: number | null) => (days === null ? 'Any time' : days === 365 ? '1 year' : `${days} days`),
  since: 'From',
  until: 'To',
  count: (wishes: number, more: boolean) =>
    more ? `The first ${number(wishes)} wishes` : plural(wishes, 'wish', 'wishes'),
  countOfRequests: (requests: number, more: boolean) =>
    more ? `The first ${number(requests)} texts` : plural(requests, 'text'),
  ofRequests: (total: number, isExact: boolean) =>
    `· ${isExact ? '' : 'more than '}${plural(total, 'request')} in all.`,
  comparedWith: (now: number, before: number) =>
    before === 0
      ? now === 0
        ? ''
        : 'None in the time before.'
      : now === before
        ? 'As many as in the time before.'
        : `${Math.round((Math.abs(now - before) / before) * 100)} % ${now > before ? 'more' : 'fewer'} than in the time before (${number(before)}).`,
  /** Of a search: how many have all words of the query, and how many only some. */
  found: (shown: number, withAll: number, more: boolean) => {
    const some = shown - withAll
    if (shown === 0) return 'No wish has these words.'
    if (some === 0) return more ? `The first ${number(shown)} wishes.` : `${plural(shown, 'wish', 'wishes')}.`
    const all = withAll === 0 ? 'No wish has all words' : `${plural(withAll, 'wish has', 'wishes have')} all words`
    return `${all}; ${more ? 'more than ' : ''}${number(some)} ${some === 1 ? 'has' : 'have'} some.`
  },
  stillShown: (query: string) =>
    query === '' ? 'Still shown: the list from before.' : `Still shown: the results for “${query}”.`,
  someWords: 'Only some of the words',
  searchInstead: (typed: string) => `Search for “${typed}” instead`,
  nothingGrew: 'No wish gained votes in the last 7 days',
  nothingGrewAdvice: 'Votes are compared with those of earlier collections. A watch collects a topic again and again.',
  nothingListed: 'No wish here',
  markChip: (mark: Mark) => `Marked: ${markNames[mark].toLowerCase()}`,
  likelihood: searchTexts.likelihood,
  trend: (weeks: number, from: number, to: number) =>
    `Votes in ${plural(weeks, 'week')}: from ${number(from)} to ${number(to)}`,
  requestsBriefly: (count: number) => `${number(count)} requests`,
  lastAskedAt: (when: string) => `Last asked ${when}`,
  toSource: (platform: string) => `Open at ${platform}`,
  votesUnit: (votes: number) => (votes === 1 ? 'vote' : 'votes'),
  votesBriefly: (shown: string, votes: number) => `${shown} ${votes === 1 ? 'vote' : 'votes'}`,

  panelLabel: 'Wish',
  openPage: 'Open as a page',
  closePanel: 'Close',
  loadingTitle: 'Wish',
  about: 'About this wish',
  votes: 'Votes',
  requests: 'Requests',
  statusOf: (status: RequestStatus | null) => (status === null ? '–' : searchTexts.status(status)),
  statusCount: (status: RequestStatus | null, requests: number) =>
    `${status === null ? 'no status' : searchTexts.status(status)}: ${number(requests)}`,
  firstAskedAgo: (ago: string) => `first asked ${ago}`,
  lastAskedAgo: (ago: string) => `last asked ${ago}`,
  askedFromTo: (first: string, last: string) =>
    first === last ? `asked on ${first}` : `asked from ${first} to ${last}`,
  gained7: 'Votes gained in the last 7 days',
  grewIn7: (votes: number | null) => (votes === null ? 'growth not known yet' : `${signed(votes)} in 7 days`),
  isMergedByModel: 'A model took some of these requests for the same.',
  votesAre: (kinds: string[]) => `What is counted as votes: ${kinds.join('; ')}.`,
  history: 'Over time',
  votesOverTime: 'Votes at the end of each week',
  week: 'Week',
  overTime: 'Requests, by when they were asked',
  from: 'From',
  members: 'Who asks for it',
  topics: 'Found by the topics',

  markLabel: 'What you decided',
  marks: markNames,
  markedBy: 'Your decision',
  star: 'Star',
  starred: 'Starred',
  owner: 'Owner',
  nobody: 'nobody yet',
  ownedBy: (name: string) => `owned by ${name}.`,
  note: 'Note',
  addNote: 'Add a note',
  changeNote: 'Edit',
  notePlaceholder: 'Who owns it, why, what is next. Only your account sees it.',
  saveNote: 'Save',
  cancel: 'Cancel',
  changed: (title: string, { mark, starred, note, owner }: MarkChange) =>
    mark !== undefined
      ? mark === null
        ? `“${short(title)}” is no longer marked.`
        : `Marked as ${markNames[mark].toLowerCase()}: “${short(title)}”.`
      : starred !== undefined
        ? `${starred ? 'Starred' : 'No longer starred'}: “${short(title)}”.`
        : owner !== undefined
          ? owner === ''
            ? `“${short(title)}” has no owner any more.`
            : `${owner} owns “${short(title)}”.`
          : note === ''
            ? 'Note removed.'
            : 'Note saved.',
  notSaved: 'It could not be saved. Try again.',
  merged: (title: string, other: string) => `“${short(title)}” and “${short(other)}” are one wish now.`,
  parted: (title: string) => `Not the same: “${short(title)}”.`,
  splitOff: (title: string) => `“${short(title)}” is now a wish of its own.`,
  splitOffButton: 'Asks for something else',
  possiblySame: 'Possibly the same',
  possiblySameIntro: 'Not counted above.',
  same: 'Same',
  sameLabel: (title: string) => `The same: ${title}`,
  notSame: 'Not the same',
  notSameLabel: (title: string) => `Not the same: ${title}`,
  mergeSearch: 'Another wish is the same? Find it:',
  mergePlaceholder: 'Words of its title',
  othersFound: (count: string) => `${count} found`,

  copyMarkdown: 'Copy as Markdown',
  copyLink: 'Copy link',
  print: 'Print',
  andMore: (count: number) => `and ${plural(count, 'more request')}`,
  openIssue: 'Open as an issue',
  tracker: 'Tracker',
  trackers: { github: 'GitHub', gitlab: 'GitLab', linear: 'Linear' } satisfies Record<IssueTracker, string>,
  projectOf: {
    github: 'Repository',
    gitlab: 'Project',
    linear: 'Team key',
  } satisfies Record<IssueTracker, string>,
  projectExample: {
    github: 'owner/repository',
    gitlab: 'group/project',
    linear: 'ENG',
  } satisfies Record<IssueTracker, string>,
  openIssueAt: {
    github: 'Open on GitHub',
    gitlab: 'Open on GitLab',
    linear: 'Open in Linear',
  } satisfies Record<IssueTracker, string>,
  atSources: (counts: string[]) => `At the sources: ${counts.join(' · ')}.`,
  measuredSince: (day: string) => `Votes are measured since ${day}.`,
  notMeasured: 'No change of its votes was measured yet.',
  doneOf: (done: number, shown: number) => `${number(done)} of ${number(shown)} ${done === 1 ? 'is' : 'are'} done.`,
}
