import { conjunction, number, plural } from '../shell/format.ts'

const quoted = (words: readonly string[]) => conjunction(words.map((word) => `“${word}”`))

export const reviewTexts = {
  title: 'Review',
  intro: 'What you say counts at once, for your account, and can be undone.',
  readOnly: 'Your key may only read. Sign in with one that may collect to decide here.',
  pairs: 'Are these the same?',
  noPairs: 'No pair waits for a decision',
  pairLabel: 'A pair of wishes',
  pairsLeft: (count: number, more: boolean) =>
    more ? `More than ${number(count)} pairs may be the same.` : `${plural(count, 'pair')} may be the same.`,
  answers: { same: 'Same', not_the_same: 'Not the same', skip: 'Skip' },
  answered: {
    same: 'Joined: they are one wish now.',
    not_the_same: 'Not the same: they stay apart.',
    skip: 'Skipped: nobody is asked again.',
  },
  alike: (share: string) => `${share} alike.`,
  judged: (same: boolean) => (same ? 'A model took them for the same.' : 'A model took them for different wishes.'),
  speaksFor: (reasons: string) => `For it: ${reasons}.`,
  speaksAgainst: (reasons: string) => `Against it: ${reasons}.`,
  reason: (kind: string, words: readonly string[]) => {
    if (kind === 'same_text') return 'the texts are alike'
    if (kind === 'same_words') return `both say ${quoted(words)}`
    if (kind === 'opposed') return `they say the opposite: ${quoted(words)}`
    if (kind === 'numbers') return `different numbers: ${quoted(words)}`
    if (kind === 'product') return `different products: ${quoted(words)}`
    return words.length === 0 ? 'other words' : `only one says ${quoted(words)}`
  },
  doubtful: 'Are these requests?',
  noDoubtful: 'No text waits for a decision',
  answeredLabel: 'A pair that you answered',
  titlesOf: (titles: readonly string[]) => titles.map((title) => `“${title}”`).join(' · '),
  undoAnswer: 'Undo',
}
