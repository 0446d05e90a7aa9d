import type { RequestStatus } from '../api/types.ts'
import { number, plural, signed } from '../shell/format.ts'
import { searchTexts } from './search.ts'

export const wishTexts = {
  loadingTitle: 'One wish',
  intro: (requests: number) =>
    requests === 1 ? 'One request asks for this.' : `${number(requests)} requests ask for this.`,
  requests: 'Requests',
  votes: 'Votes',
  status: 'Status',
  statusOf: (status: RequestStatus | null) => (status === null ? '–' : searchTexts.status(status)),
  firstAsked: 'First asked',
  lastAsked: 'Last asked',
  gained7: 'Votes gained in 7 days',
  gained30: 'In 30 days',
  gained: (votes: number | null) => (votes === null ? 'not known yet' : signed(votes)),
  overTime: 'Requests over time, by when they were asked',
  from: 'From',
  byPlatform: 'Votes by platform',
  platform: 'Platform',
  byProduct: 'Votes by product',
  product: 'Product',
  largestShare: 'Share of the largest request',
  isMergedByModel: 'A model took some of these requests for the same.',
  votesAre: (kinds: string[]) => `What is counted as votes: ${kinds.join('; ')}.`,
  members: 'Who asks for it',
  statuses: 'How they stand',
  statusCount: (status: RequestStatus | null, requests: number) =>
    `${status === null ? 'no status' : searchTexts.status(status)}: ${number(requests)}`,
  topics: 'Found by the topics',
  possiblySame: 'Possibly the same',
  possiblySameIntro: 'These are not counted above.',
  together: (requests: number, platforms: string[]) => `${plural(requests, 'request')} on ${platforms.join(', ')}`,
}
