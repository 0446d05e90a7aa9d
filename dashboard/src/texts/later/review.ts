import { plural, t } from '@lingui/core/macro'
import './messages.ts'
import { number } from '../../shell/format.ts'
import { quoted } from '../search.ts'

export const reviewTexts = {
  title: t`Review`,
  intro: t`Your answers take effect at once, for your account only. You can undo them.`,
  readOnly: t`Your key may only read. Sign in with one that may collect to decide here.`,
  pairs: t`Are these the same?`,
  noPairs: t`No pairs are waiting for a decision`,
  pairLabel: t`A pair of wishes`,
  pairsLeft: (count: number, more: boolean) =>
    more
      ? t`More than ${number(count)} pairs may be the same.`
      : plural(count, { one: '# pair may be the same.', other: '# pairs may be the same.' }),
  answers: { same: t`Same`, not_the_same: t`Not the same`, skip: t`Skip` },
  answered: {
    same: t`Joined: they are one wish now.`,
    not_the_same: t`Not the same: they stay apart.`,
    skip: t`Skipped: nobody is asked again.`,
  },
  alike: (share: string) => t`${share} alike.`,
  judged: (same: boolean) => (same ? t`A model took them for the same.` : t`A model took them for different wishes.`),
  speaksFor: (reasons: string) => t`For it: ${reasons}.`,
  speaksAgainst: (reasons: string) => t`Against it: ${reasons}.`,
  reason: (kind: string, words: readonly string[]) => {
    if (kind === 'same_text') return t`the texts are alike`
    if (kind === 'same_words') return t`both say ${quoted(words)}`
    if (kind === 'opposed') return t`they say the opposite: ${quoted(words)}`
    if (kind === 'numbers') return t`different numbers: ${quoted(words)}`
    if (kind === 'product') return t`different products: ${quoted(words)}`
    return words.length === 0 ? t`other words` : t`only one says ${quoted(words)}`
  },
  drawn: t`Is this a request?`,
  drawnIntro: t`Twenty texts a week, chosen at random from all that was collected, tell how often the detection is right.`,
  drawnProgress: (done: number, all: number) => t`${number(done)} of ${number(all)} this week.`,
  drawnKeys: t`Keys: 1, 2, and 3 to skip.`,
  drawnLabel: t`A text to decide`,
  isRequest: t`It is a request`,
  isNone: t`It is none`,
  skipText: t`Skip the text`,
  noDrawn: t`Nothing is left to decide this week`,
  doubtful: t`Are these requests?`,
  noDoubtful: t`No texts are waiting for a decision`,
  answeredLabel: t`A pair that you answered`,
  titlesOf: (titles: readonly string[]) => titles.map((title) => t`“${title}”`).join(' · '),
  undoAnswer: t`Undo`,
}
