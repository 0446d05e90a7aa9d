import type { Mark } from '../search/view.ts'
import { number, plural } from '../shell/format.ts'
import { wishTexts } from './wishes.ts'

export const homeTexts = {
  title: 'What changed',
  since: 'Since',
  sinceVisit: (when: string) => `Since your last visit, ${when}`,
  spans: { day: 'In the last 24 hours', week: 'In the last 7 days', month: 'In the last 30 days' },
  kinds: { rising: 'Rising', new: 'Newly found', done: 'Done' },
  figures: { rising: 'votes gained', new: 'votes', done: 'votes' },
  none: {
    rising: 'No wish gained votes.',
    new: 'No new wish.',
    done: 'Nothing was done.',
  },
  showAll: (count: number) => (count > 100 ? 'Show 100' : `Show all ${number(count)}`),
  summary: (rising: number, added: number, done: number) =>
    `${number(rising)} rising, ${number(added)} new, ${number(done)} done.`,
  votes: (votes: number) => (votes === 1 ? 'vote' : 'votes'),
  votesMore: (votes: number) => (votes === 1 ? 'vote more' : 'votes more'),
  facts: (votes: number, requests: number, platforms: string[], withVotes: boolean) =>
    [
      ...(withVotes ? [plural(votes, 'vote')] : []),
      ...(requests > 1 ? [plural(requests, 'request')] : []),
      platforms.join(', '),
    ].join(' · '),
  marked: (mark: Mark) => wishTexts.marks[mark].toLowerCase(),
  noWatches: 'A watch collects a topic regularly and says what is new.',
  newsOfWatches: 'News of all watches',
  allWatches: 'All watches',
  toReview: 'To decide',
  nothingToReview: 'No pair of wishes waits for a decision.',
  pairs: (count: number, more: boolean) =>
    more
      ? `More than ${plural(count, 'pair')} of wishes may be the same.`
      : `${plural(count, 'pair')} of wishes may be the same.`,
  review: 'Review',
  firstTitle: 'Three steps to the first answer',
  firstCollect: 'Collect a topic.',
  firstCollectWhy: 'Wishwell reads what people ask for about it on the platforms that are ready.',
  toCollect: 'Start a collection',
  firstLook: 'See what people want most.',
  firstLookWhy: 'Requests for the same stand together as one wish, with their votes.',
  toWishes: 'Open the wishes',
  firstWatch: 'Watch the topic.',
  firstWatchWhy: 'A watch collects it again and again, and says what is new by mail or in a chat.',
  toWatch: 'Create a watch',
  sample: 'To look around first, run npm run demo: it starts a service of its own with sample data.',
}
