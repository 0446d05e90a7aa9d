import { plural } from '../shell/format.ts'

export const problemTexts = {
  again: 'Try again',
  toAccount: 'Plan and credits',
  unexpected: { title: 'Something went wrong in this page.', advice: 'Reload it; if it stays, tell your operator.' },
  offline: { title: 'You are offline.', advice: 'What is shown here stays. It goes on when the connection is back.' },
  noAnswer: { title: 'The service does not answer.', advice: 'It may be starting anew, or the connection is broken.' },
  expired: { title: 'Your session has ended.', advice: 'Sign in again; nothing here is lost.' },
  notFound: { title: 'Not found.', advice: 'It is gone, or it never was yours.' },
  unavailable: { title: 'The service is not ready.', advice: 'It is starting or stopping. Try again in a moment.' },
  fault: { title: 'A fault of the service.', advice: 'It is in its log. Trying again may help.' },
  refused: 'That was refused:',
  scope: {
    title: 'Your key may not do this.',
    advice: 'Sign in with a key that may do more, or ask whoever manages the account.',
  },
  keyBudget: { title: 'The budget of your key is used up.', advice: 'It is fresh next month; another key may go on.' },
  watchBudget: {
    title: 'The budget of the watch is used up.',
    advice: 'It is fresh next month; change the watch to give it more.',
  },
  noCredits: 'The credits are used up.',
  poolIsFresh: (moment: string) =>
    `The monthly pool is fresh on ${moment}. A pack of pay-as-you-go credits helps before.`,
  tooFast: 'Too many calls in a minute.',
  tooFastFor: (seconds: number) => `It may go on in ${plural(seconds, 'second')}.`,
  goesOnIn: (seconds: number) => (seconds > 0 ? `It goes on by itself in ${seconds} s.` : 'It goes on …'),
  tryIn: (seconds: number) => (seconds > 0 ? `Try again in ${seconds} s.` : 'Try again now.'),
  boundary: { title: 'This part of the page has failed.', advice: 'Reload the page to go on.' },
  reload: 'Reload',
}
