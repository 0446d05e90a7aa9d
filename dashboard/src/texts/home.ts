import { plural, t } from '@lingui/core/macro'
import type { Mark } from '../search/view.ts'
import { number } from '../shell/format.ts'
import { counts } from './counts.ts'
import { wishTexts } from './wishes.ts'

export const homeTexts = {
  title: t`What changed`,
  since: t`Since`,
  sinceVisit: (when: string) => t`Since your last visit, ${when}`,
  spans: { day: t`In the last 24 hours`, week: t`In the last 7 days`, month: t`In the last 30 days` },
  kinds: { rising: t`Rising`, new: t`Newly found`, done: t`Done` },
  figures: { rising: t`votes gained`, new: t`votes`, done: t`votes` },
  none: {
    rising: t`No wish gained votes.`,
    new: t`No new wish.`,
    done: t`No wish was done.`,
  },
  showAll: (count: number) => (count > 100 ? t`Show 100` : t`Show all ${number(count)}`),
  summary: (rising: number, added: number, done: number) =>
    t`${number(rising)} rising, ${number(added)} new, ${number(done)} done.`,
  votes: (votes: number) => plural(votes, { one: 'vote', other: 'votes' }),
  votesMore: (votes: number) => plural(votes, { one: 'vote more', other: 'votes more' }),
  facts: (votes: number, requests: number, platforms: string[], withVotes: boolean) =>
    [
      ...(withVotes ? [counts.votes(votes)] : []),
      ...(requests > 1 ? [counts.requests(requests)] : []),
      platforms.join(', '),
    ].join(' · '),
  marked: (mark: Mark) => wishTexts.marks[mark].toLowerCase(),
  noWatches: t`A watch collects a topic regularly and tells you what is new.`,
  newsOfWatches: t`News from all watches`,
  allWatches: t`All watches`,
  hidden: t`Hidden, though many vote for it`,
  hiddenWhy: (votes: string) =>
    t`At least ${votes} votes, but it does not read like a request, so no list counts it. Is it one? Keys for the first: 1 for yes, 2 for no.`,
  toReview: t`To decide`,
  nothingToReview: t`No pairs of wishes are waiting for a decision.`,
  pairs: (count: number, more: boolean) =>
    more
      ? t`More than ${number(count)} pairs of wishes may be the same.`
      : plural(count, { one: '# pair of wishes may be the same.', other: '# pairs of wishes may be the same.' }),
  review: t`Review`,
  firstTitle: t`Three steps to the first answer`,
  firstCollect: t`Collect a topic.`,
  firstCollectWhy: t`Wishwell reads what people ask for about it on the platforms that are ready.`,
  toCollect: t`Start a collection`,
  firstLook: t`See what people want most.`,
  firstLookWhy: t`Requests for the same stand together as one wish, with their votes.`,
  toWishes: t`Open the wishes`,
  firstWatch: t`Watch the topic.`,
  firstWatchWhy: t`A watch collects it regularly, and tells you what is new by mail or in a chat.`,
  toWatch: t`Create a watch`,
  sample: t`To look around first, run npm run demo: it starts a service of its own with sample data.`,
}
