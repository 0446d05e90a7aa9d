/** Texts written for the tests: what a reader would call a wish, a bug report, a question or chatter. */
export interface ExampleText {
  platform: string
  title: string
  description: string
  isWish: boolean
}

export const exampleTexts: readonly ExampleText[] = [
  {
    platform: 'github',
    title: 'Add a dark mode to the settings page',
    description:
      'It would be great if there was an option to switch to a dark theme. Currently everything is white, which is hard on the eyes at night. Other editors have this.',
    isWish: true,
  },
  {
    platform: 'github',
    title: 'Support exporting a board as CSV',
    description:
      "**Is your feature request related to a problem? Please describe.**\nI have to copy every card by hand into a sheet.\n\n**Describe the solution you'd like**\nAn export button that writes a CSV file with all columns.",
    isWish: true,
  },
  {
    platform: 'gitlab',
    title: 'Allow configuring the timeout of requests',
    description:
      'The timeout is fixed at 30 seconds. Please make it configurable, per project or with an environment variable.',
    isWish: true,
  },
  {
    platform: 'github',
    title: 'App crashes when opening a large file',
    description:
      'Steps to reproduce:\n1. Open a file of 2 GB\n2. Scroll down\n\nExpected: the file opens.\nActual: it crashes with a segmentation fault. Version 2.3.1, Ubuntu 22.04.',
    isWish: false,
  },
  {
    platform: 'github',
    title: 'TypeError: Cannot read properties of undefined after upgrade to 4.2',
    description:
      'Since the last release the build fails with this error. It worked in 4.1. Stack trace below.\n```\nTypeError: Cannot read properties of undefined\n  at main.js:12\n```',
    isWish: false,
  },
  {
    platform: 'gitlab',
    title: 'Wrong date is shown in the calendar after midnight',
    description:
      'When I open the calendar after midnight, yesterday is still highlighted. Expected behavior: today is highlighted. Happens on Android 13 and iOS 16.',
    isWish: false,
  },
  {
    platform: 'reddit',
    title: '[Feature request] Let us hide posts that we have already read',
    description:
      'I wish the app had an option to hide read posts automatically. It would be nice if there was a toggle in the settings.',
    isWish: true,
  },
  {
    platform: 'reddit',
    title: 'Suggestion: add a search bar to the inventory screen',
    description:
      'With so many items it takes ages to find anything. The devs should add a search bar and a way to sort by name.',
    isWish: true,
  },
  {
    platform: 'bluesky',
    title: 'Would love to see a feature to schedule posts in this app',
    description: 'Please add an option to schedule a post for later. It would be really useful.',
    isWish: true,
  },
  {
    platform: 'reddit',
    title: 'My girlfriend and I broke up last week',
    description:
      'We had been together for four years. I do not know what to do now and I feel terrible. Has anyone been through this? How did you get over it?',
    isWish: false,
  },
  {
    platform: 'reddit',
    title: 'What is the best laptop for college?',
    description:
      'I am starting in the fall and have about 700 dollars. I mostly write papers and watch films. Any advice is appreciated!',
    isWish: false,
  },
  {
    platform: 'hackernews',
    title: 'Show HN: We rewrote our database in a weekend',
    description: 'We spent the weekend on a rewrite and wrote down what we learned. Happy to answer your questions.',
    isWish: false,
  },
  {
    platform: 'reddit',
    title: 'How do I beat the third boss?',
    description: 'I have tried it twenty times and I always die in the second phase. What weapons do you use? Thanks.',
    isWish: false,
  },
]
