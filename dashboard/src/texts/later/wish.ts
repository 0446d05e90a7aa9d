import { plural, t } from '@lingui/core/macro'
import './messages.ts'
import type { RequestStatus } from '../../api/types.ts'
import { number, signed } from '../../shell/format.ts'
import type { IssueTracker } from '../../wishes/issue-trackers.ts'
import { searchTexts } from '../search.ts'
import { wishTexts } from '../wishes.ts'

/** Of a wish beside the list and at its own address. */
export const wishPageTexts = {
  ...wishTexts,
  votesBriefly: (shown: string, votes: number) => `${shown} ${plural(votes, { one: 'vote', other: 'votes' })}`,

  openPage: t`Open as a page`,
  closePanel: t`Close`,
  loadingTitle: t`Wish`,
  about: t`About this wish`,
  votes: t`Votes`,
  requests: t`Requests`,
  statusCount: (status: RequestStatus | null, requests: number) =>
    `${status === null ? t`no status` : searchTexts.status(status)}: ${number(requests)}`,
  firstAskedAgo: (ago: string) => t`first asked ${ago}`,
  lastAskedAgo: (ago: string) => t`last asked ${ago}`,
  askedFromTo: (first: string, last: string) =>
    first === last ? t`asked on ${first}` : t`asked from ${first} to ${last}`,
  crossPosts: (count: number) => plural(count, { one: '# cross-post', other: '# cross-posts' }),
  ownAre: t`What you imported: beside the public numbers, never in them`,
  crossPostsAre: t`Requests that repeat the text of another one`,
  gained7: t`Votes gained in the last 7 days`,
  grewIn7: (votes: number | null) => (votes === null ? t`no trend yet` : t`${signed(votes)} in 7 days`),
  isMergedByModel: t`A model took some of these requests for the same.`,
  votesAre: (kinds: string[]) => t`What is counted as votes: ${kinds.join('; ')}.`,
  history: t`Over time`,
  votesOverTime: t`Votes at the end of each week`,
  week: t`Week`,
  overTime: t`Requests, by when they were asked`,
  from: t`From`,
  members: t`Who asks for it`,
  topics: t`Topics`,

  markLabel: t`What you decided`,
  star: t`Star`,
  owner: t`Owner`,
  nobody: t`nobody yet`,
  ownedBy: (name: string) => t`owned by ${name}.`,
  note: t`Note`,
  addNote: t`Add a note`,
  changeNote: t`Edit`,
  notePlaceholder: t`Who owns it, why, what is next. Only your account sees it.`,
  saveNote: t`Save`,
  cancel: t`Cancel`,
  splitOffButton: t`Asks for something else`,
  possiblySame: t`Possibly the same`,
  possiblySameIntro: t`Not included in the votes above.`,
  same: t`Same`,
  sameLabel: (title: string) => t`The same: ${title}`,
  notSame: t`Not the same`,
  notSameLabel: (title: string) => t`Not the same: ${title}`,
  mergeSearch: t`Is another wish the same? Find it:`,
  mergePlaceholder: t`Search by title`,
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
  atSources: (counted: string[]) => t`At the sources: ${counted.join(' · ')}.`,
  measuredSince: (day: string) => t`Votes have been tracked since ${day}.`,
  notMeasured: t`No change in votes was measured yet.`,
}
