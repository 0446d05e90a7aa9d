import { priceText } from '../../../src/accounts/plans.ts'
import type { RequestStatus } from '../api/types.ts'
import { bytes, conjunction, number, plural } from '../shell/format.ts'

const statusNames: Record<RequestStatus, string> = {
  open: 'open',
  planned: 'planned',
  in_progress: 'in progress',
  completed: 'done',
  declined: 'declined',
  duplicate: 'duplicate',
  closed: 'closed',
}

/** Pages that were not collected cost nothing. */
const nothingCollected = (fresh: number, time: string) =>
  fresh > 0
    ? `Nothing new in ${time}: ${plural(fresh, 'topic')} had been collected recently. Nothing was charged.`
    : 'Nothing could be collected just now. Nothing was charged.'

export const searchTexts = {
  searchTitle: (query: string) => `“${query}”`,
  boxLabel: 'Search the collected requests',
  boxPlaceholder: 'Search title, text, tags and author',
  search: 'Search',
  searching: 'Searching …',
  count: (shown: number, more: boolean, hasOthers: boolean) =>
    more
      ? shown === 0
        ? ''
        : `The first ${number(shown)} are shown.`
      : plural(shown, hasOthers ? 'result' : 'request'),
  total: (total: number, isExact: boolean) => `${isExact ? '' : 'More than '}${plural(total, 'match', 'matches')}.`,
  window: (size: number) => `Among the ${number(size)} closest matches.`,
  correctedFrom: 'These are the results for',
  correctedInstead: (typed: string) => `, since almost nothing has “${typed}”.`,
  alsoSearched: (words: string, others: string[]) =>
    `Also searched for “${words}”: ${conjunction(others.map((other) => `“${other}”`))}.`,
  unknown: (words: string[], isMost: boolean) =>
    `Nothing stored has ${conjunction(words.map((word) => `“${word}”`))}.${isMost ? ' Are the texts in another language?' : ''}`,
  excluded: (words: string[]) => `Without ${conjunction(words.map((word) => `“${word}”`))}.`,
  matchedByWords: 'has the words, but not the exact phrase',
  capReached: 'These are the 100 best; a search gives no more. Other words or a filter bring up others.',
  votes: (votes: number) => (votes === 1 ? 'vote' : 'votes'),
  collectedAgo: (when: string) => `collected ${when}`,
  showAll: 'Show all of it',
  showLess: 'Show less',
  status: (status: RequestStatus) => statusNames[status],
  statusChanged: (when: string, isObserved: boolean) => (isObserved ? `noticed ${when}` : when),
  excerpt: 'only part of the text',
  likelihood: { maybe: 'may be a request', unlikely: 'probably not a request' },
  likelihoodTitle: (percent: number) => `${percent} % likely to be a request`,
  isRequest: 'This is a request',
  isNoRequest: 'Not a request',
  correctedTo: { request: 'Marked as a request', none: 'Marked as not a request' },
  correctedByOperator: 'Your operator marked it',
  undoCorrection: 'Undo',
  moreMaybe: (count: number) => `${plural(count, 'more text')} may be ${count === 1 ? 'a request' : 'requests'}.`,
  showMaybe: (count: number) => (count === 1 ? 'Show it' : 'Show them'),
  possiblySame: 'Possibly the same, and not counted:',

  nothingCollectedYet: 'Nothing collected yet: there is nothing to find before something was collected.',
  toCollect: 'Start a collection',
  nothingFound: 'Nothing found',
  nothingFoundAdvice: 'Try other words or fewer filters, or collect requests about it.',
  nothingListed: 'No request passes these filters',
  nothingListedAdvice: 'Take one of them away.',
  collectThis: 'Collect this topic',

  filters: (count: number) => (count === 0 ? 'Filters' : `Filters (${count})`),
  activeFilters: 'Filters in use',
  removeFilter: (name: string) => `Remove the filter ${name}`,
  clearFilters: 'Clear the filters',
  sortBy: 'Sort by',
  sort: { relevance: 'Best match', votes: 'Most votes', new: 'Newest' },
  platforms: 'Platforms',
  topic: 'Topic',
  tag: 'With the tag',
  statuses: 'Status',
  include: 'Show',
  includes: { likely: 'Requests', maybe: 'Also possible requests', all: 'Everything collected' },
  statusChip: (status: RequestStatus) => `Status: ${statusNames[status]}`,
  includeChip: { maybe: 'Also possible requests', all: 'Everything collected' },
  minVotes: 'At least so many votes',
  since: 'Asked since',
  until: 'Asked until',
  tagChip: (tag: string) => `Tag: ${tag}`,
  topicChip: (topic: string) => `Topic: ${topic}`,
  votesChip: (votes: number) => `${number(votes)} votes or more`,
  sinceChip: (day: string) => `Since ${day}`,
  untilChip: (day: string) => `Until ${day}`,
  jobChip: 'Found by one collection',

  expandIntro: 'Not what you hoped for? Collect this and the topics around it from the platforms, now.',
  expand: (price: number) => (price === 0 ? 'Expand' : `Expand for ${priceText(price)}`),
  expandAgain: (price: number) => (price === 0 ? 'Expand again' : `Expand again for ${priceText(price)}`),
  expansionTitle: 'Live collection',
  findingTopics: 'Finding the topics around it …',
  collecting: (topics: number) => `Collecting ${plural(topics, 'topic')} …`,
  stopWaiting: 'Stop waiting',
  collectionState: {
    waiting: 'under way',
    later: 'comes later',
    done: 'done',
    error: 'failed',
    skipped: 'skipped',
    fresh: 'collected recently',
  },
  newOnes: (count: number) => `+${number(count)}`,
  expansionDone: (done: { newRequests: number; scraped: number; skipped: number; time: string }) =>
    done.scraped === 0
      ? nothingCollected(done.skipped, done.time)
      : `${done.newRequests === 0 ? 'Nothing new' : `${number(done.newRequests)} new`} in ${done.time}: ` +
        `${plural(done.scraped, 'topic')} collected` +
        (done.skipped === 0 ? '.' : `, ${number(done.skipped)} had been collected recently.`),
  waitingPlatforms: (names: string[]) =>
    names.length === 1
      ? `${names[0]} is waiting for its turn to be asked again; its results will be in later searches.`
      : `${conjunction(names)} are waiting for their turn to be asked again; their results will be in later searches.`,
  slowPlatforms: (names: string[]) =>
    names.length === 1
      ? `${names[0]} has not answered yet; its results will be in later searches.`
      : `${conjunction(names)} have not answered yet; their results will be in later searches.`,
  limitedPlatforms: (names: string[]) =>
    `${conjunction(names)} ${names.length === 1 ? 'allows' : 'allow'} no more for now. Expand again later.`,
  forTopics: (topics: number) => `(${plural(topics, 'topic')})`,

  copyLink: 'Copy link',
  export: 'Export',
  exportIntro: 'Every request that this list shows, in one file.',
  exportIntroSearch: 'These results (up to 100), in this order, in one file.',
  exportAs: { csv: 'CSV', jsonl: 'JSON lines' },
  exporting: (size: number) => `${bytes(size)} so far …`,
  exported: 'The file is in your downloads.',
  stopExport: 'Stop',
}
