import { plural, t } from '@lingui/core/macro'
import './messages.ts'
import { number } from '../../shell/format.ts'
import { counts } from '../counts.ts'

export const newsTexts = {
  title: t`News`,
  intro: t`What people want more than before, from your watches.`,
  kinds: {
    rising: t`Rising beyond its past`,
    grown: t`Wanted more than before`,
    newWishes: t`New wishes`,
    completed: t`Done`,
    declined: t`Declined`,
    other: t`What does not fit your goal`,
  },
  toldKinds: t`Kinds of news`,
  muted: (kinds: string) => t`without: ${kinds}`,
  other: (count: number) =>
    plural(count, {
      one: '# more wish that does not fit your goal',
      other: '# more wishes that do not fit your goal',
    }),
  goal: t`Your goal:`,
  gained: (votes: number) => plural(votes, { one: 'vote', other: 'votes' }),
  asking: (count: number) => plural(count, { one: 'asks', other: 'ask' }),
  people: (count: number) => plural(count, { one: 'person', other: 'people' }),
  topicRise: (people: number) =>
    plural(people, { one: '# person asks about this topic', other: '# people ask about this topic' }),
  riseOf: ({ expected, onceIn: weeks }: { expected: number; onceIn: number }) =>
    t`in seven days; its past leads to expect ${number(Math.round(expected * 10) / 10)}, and as many only once in ${number(weeks)} weeks`,
  justGained: (votes: number) => t`${number(votes)} of them new`,
  requestsGained: (count: number) =>
    plural(count, { one: '# more request asks for it', other: '# more requests ask for it' }),
  inAll: (votes: number) => t`${counts.votes(votes)} in all`,
  since: (when: string) => t`Since you marked it as read on ${when}.`,
  never: t`Since it began.`,
  first: t`It has run for the first time, so all of it is new.`,
  cut: (shown: number, total: number) => t`The first ${number(shown)} of ${number(total)} are shown.`,
  showAll: (count: number) => t`Show all ${number(count)}`,
  showFewer: t`Show fewer`,
  read: t`Mark as read`,
  readLabel: (watch: string) => t`Mark as read: ${watch}`,
  readAll: t`Mark all as read`,
  marking: t`Marking …`,
  isRead: t`Marked as read. It stays here until you leave or reload the page.`,
  quiet: t`Nothing new`,
  quietAdvice: t`Your watches keep looking. What they find is shown here, and in the channels that they name.`,
  quietWatches: t`No news from`,
  toWatches: t`Your watches`,
}
