import { plural, t } from '@lingui/core/macro'

export const problemTexts = {
  again: t`Try again`,
  toAccount: t`Plan and credits`,
  unexpected: { title: t`Something went wrong in this page.`, advice: t`Reload it; if it stays, tell your operator.` },
  offline: {
    title: t`You are offline.`,
    advice: t`What you see stays. The page continues when the connection is back.`,
  },
  noAnswer: {
    title: t`The service does not answer.`,
    advice: t`It may be restarting, or the connection is broken.`,
  },
  expired: { title: t`Your session has ended.`, advice: t`Sign in again; nothing here is lost.` },
  notFound: { title: t`Not found.`, advice: t`It no longer exists, or it was never yours.` },
  unavailable: { title: t`The service is not ready.`, advice: t`It is starting or stopping. Try again in a moment.` },
  fault: { title: t`The service failed.`, advice: t`The details are in its log. Trying again may help.` },
  refused: t`That was refused:`,
  scope: {
    title: t`Your key may not do this.`,
    advice: t`Sign in with a key that may do more, or ask whoever manages the account.`,
  },
  keyBudget: {
    title: t`The budget of your key is used up.`,
    advice: t`It renews next month; another key may still have some.`,
  },
  watchBudget: {
    title: t`The budget of the watch is used up.`,
    advice: t`It renews next month; change the watch to give it more.`,
  },
  noCredits: t`The credits are used up.`,
  poolIsFresh: (moment: string) =>
    t`The monthly pool renews on ${moment}. Until then, a pack of pay-as-you-go credits helps.`,
  tooFast: t`Too many calls in a minute.`,
  tooFastFor: (seconds: number) => t`It may go on in ${plural(seconds, { one: '# second', other: '# seconds' })}.`,
  goesOnIn: (seconds: number) => (seconds > 0 ? t`Continues by itself in ${seconds} s.` : t`Continuing …`),
  tryIn: (seconds: number) => (seconds > 0 ? t`Try again in ${seconds} s.` : t`Try again now.`),
  boundary: { title: t`This part of the page has failed.`, advice: t`Reload the page to go on.` },
  reload: t`Reload`,
}
