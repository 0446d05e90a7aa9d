import { plural } from '../shell/format.ts'

export const topicTexts = {
  title: 'Topics',
  intro: 'What was collected, topic by topic. Open one to see what people want most.',
  find: 'Find a topic',
  findButton: 'Find',
  sortBy: 'Sort by',
  sort: { new: 'Collected last', votes: 'Most votes', name: 'Name' },
  none: 'No topic was collected yet',
  noMatch: 'No topic has this in its name',
  toCollect: 'Start a collection',
  growth: (days7: string, days30: string) => `${days7} in 7 days, ${days30} in 30`,
  collected: (when: string) => `collected ${when}`,

  all: 'All topics',
  seeAll: 'See all requests',
  collectAgain: 'Collect again',
  requests: 'Requests',
  votes: 'Votes',
  days7: 'New in 7 days',
  days30: 'New in 30 days',
  lastCollected: 'Collected',
  overTime: 'Requests over time, by when they were asked',
  from: 'From',
  byPlatform: 'Requests by platform',
  platform: 'Platform',
  wishes: 'What people want most',
  wishesIntro: 'Requests that ask for much the same stand together, with their votes added.',
  together: (requests: number, platforms: string[]) =>
    `${plural(requests, 'request')} together, on ${platforms.join(', ')}`,
  tags: 'Tags',
  tagLabel: (tag: string, requests: string) => `${tag}: ${requests}`,
}
