import { plural, t } from '@lingui/core/macro'
import type { RequestStatus } from '../api/types.ts'
import { bytes, conjunction, number, percent } from '../shell/format.ts'
import { counts } from './counts.ts'

const statusNames: Record<RequestStatus, string> = {
  open: t`open`,
  planned: t`planned`,
  in_progress: t`in progress`,
  completed: t`done`,
  declined: t`declined`,
  duplicate: t`duplicate`,
  closed: t`closed`,
}

/** Words in a sentence: `“dark” and “mode”`. */
export const quoted = (words: readonly string[]) => conjunction(words.map((word) => t`“${word}”`))

/** Pages that were not collected cost nothing. */
const nothingCollected = (fresh: number, time: string) =>
  fresh > 0
    ? t`Nothing new in ${time}: ${counts.topics(fresh)} had been collected recently. Nothing was charged.`
    : t`Nothing could be collected just now. Nothing was charged.`

export const searchTexts = {
  searchTitle: (query: string) => t`“${query}”`,
  boxLabel: t`Search the collected requests`,
  boxPlaceholder: t`Search title, text, tags and author`,
  search: t`Search`,
  searching: t`Searching …`,
  count: (shown: number, more: boolean, hasOthers: boolean) =>
    more
      ? shown === 0
        ? ''
        : t`The first ${number(shown)} are shown.`
      : hasOthers
        ? plural(shown, { one: '# result', other: '# results' })
        : counts.requests(shown),
  total: (total: number, isExact: boolean) =>
    isExact ? plural(total, { one: '# match.', other: '# matches.' }) : t`More than ${number(total)} matches.`,
  window: (size: number) => t`Among the ${number(size)} closest matches.`,
  correctedFrom: t`These are the results for`,
  correctedInstead: (typed: string) => t`, since almost nothing has “${typed}”.`,
  alsoSearched: (words: string, others: string[]) => t`Also searched for “${words}”: ${quoted(others)}.`,
  unknown: (words: string[], isMost: boolean) =>
    isMost
      ? t`Nothing stored has ${quoted(words)}. Are the texts in another language?`
      : t`Nothing stored has ${quoted(words)}.`,
  excluded: (words: string[]) => t`Without ${quoted(words)}.`,
  matchedByWords: t`has the words, but not the exact phrase`,
  capReached: t`These are the 100 best; a search gives no more. Other words or a filter bring up others.`,
  votes: (votes: number) => plural(votes, { one: 'vote', other: 'votes' }),
  collectedAgo: (when: string) => t`collected ${when}`,
  showAll: t`Show all of it`,
  showLess: t`Show less`,
  status: (status: RequestStatus) => statusNames[status],
  statusChanged: (when: string, isObserved: boolean) => (isObserved ? t`noticed ${when}` : when),
  excerpt: t`only part of the text`,
  likelihood: { maybe: t`may be a request`, unlikely: t`probably not a request` },
  likelihoodTitle: (share: number) => t`${percent(share / 100)} likely to be a request`,
  isRequest: t`This is a request`,
  isNoRequest: t`Not a request`,
  correctedTo: { request: t`Marked as a request`, none: t`Marked as not a request` },
  correctedByOperator: t`Your operator marked it`,
  undoCorrection: t`Undo`,
  moreMaybe: (count: number) =>
    plural(count, { one: '# more text may be a request.', other: '# more texts may be requests.' }),
  showMaybe: (count: number) => plural(count, { one: 'Show it', other: 'Show them' }),
  possiblySame: t`Possibly the same, and not counted:`,

  nothingCollectedYet: t`Nothing collected yet: there is nothing to find before something was collected.`,
  toCollect: t`Start a collection`,
  nothingFound: t`Nothing found`,
  nothingFoundAdvice: t`Try other words or fewer filters, or collect requests about it.`,
  nothingListed: t`No requests match these filters`,
  nothingListedAdvice: t`Remove one of them.`,
  stars: (stars: number) => t`${stars} of 5 stars`,
  collectThis: t`Collect this topic`,

  filters: (count: number) => (count === 0 ? t`Filters` : t`Filters (${count})`),
  activeFilters: t`Filters in use`,
  removeFilter: (name: string) => t`Remove the filter ${name}`,
  clearFilters: t`Clear filters`,
  sortBy: t`Sort by`,
  sort: { relevance: t`Best match`, votes: t`Most votes`, new: t`Newest` },
  platforms: t`Platforms`,
  topic: t`Topic`,
  tag: t`With the tag`,
  statusChip: (status: RequestStatus) => t`Status: ${statusNames[status]}`,
  includeChip: { maybe: t`Also possible requests`, all: t`Everything collected` },
  since: t`Asked since`,
  until: t`Asked until`,
  tagChip: (tag: string) => t`Tag: ${tag}`,
  topicChip: (topic: string) => t`Topic: ${topic}`,
  votesChip: (votes: number) => t`${number(votes)} votes or more`,
  sinceChip: (day: string) => t`Since ${day}`,
  untilChip: (day: string) => t`Until ${day}`,
  jobChip: t`Found by one collection`,

  expandIntro: t`Not what you hoped for? Collect this and the topics around it from the platforms, now.`,
  expand: (price: number) => (price === 0 ? t`Expand` : t`Expand for ${counts.credits(price)}`),
  expandAgain: (price: number) => (price === 0 ? t`Expand again` : t`Expand again for ${counts.credits(price)}`),
  expansionTitle: t`Live collection`,
  findingTopics: t`Finding the topics around it …`,
  collecting: (topics: number) => t`Collecting ${counts.topics(topics)} …`,
  stopWaiting: t`Stop waiting`,
  collectionState: {
    waiting: t`under way`,
    later: t`comes later`,
    done: t`done`,
    error: t`failed`,
    skipped: t`skipped`,
    fresh: t`collected recently`,
  },
  newOnes: (count: number) => `+${number(count)}`,
  expansionDone: (done: { newRequests: number; scraped: number; skipped: number; time: string }) =>
    done.scraped === 0
      ? nothingCollected(done.skipped, done.time)
      : [
          done.newRequests === 0
            ? t`Nothing new in ${done.time}:`
            : t`${number(done.newRequests)} new in ${done.time}:`,
          done.skipped === 0
            ? plural(done.scraped, { one: '# topic collected.', other: '# topics collected.' })
            : t`${counts.topics(done.scraped)} collected, ${number(done.skipped)} had been collected recently.`,
        ].join(' '),
  waitingPlatforms: (names: string[]) =>
    plural(names.length, {
      one: `${conjunction(names)} is waiting for its turn to be asked again; its results will be in later searches.`,
      other: `${conjunction(names)} are waiting for their turn to be asked again; their results will be in later searches.`,
    }),
  slowPlatforms: (names: string[]) =>
    plural(names.length, {
      one: `${conjunction(names)} has not answered yet; its results will be in later searches.`,
      other: `${conjunction(names)} have not answered yet; their results will be in later searches.`,
    }),
  limitedPlatforms: (names: string[]) =>
    plural(names.length, {
      one: `${conjunction(names)} allows no more for now. Expand again later.`,
      other: `${conjunction(names)} allow no more for now. Expand again later.`,
    }),
  forTopics: (topics: number) => `(${counts.topics(topics)})`,

  copyLink: t`Copy link`,
  export: t`Export`,
  exportIntro: t`Every request that this list shows, in one file.`,
  exportIntroSearch: t`Those of these results (up to 100) that have all words, in this order, in one file.`,
  exportAs: { csv: 'CSV', jsonl: 'JSON lines' },
  exporting: (size: number) => t`${bytes(size)} so far …`,
  exported: t`The file is in your downloads.`,
  stopExport: t`Stop`,
}
