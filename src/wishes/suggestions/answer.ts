import type { Transaction } from '../../database/open.ts'
import { notFound, ServiceError } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { readWishNumbers } from '../../requests/wish-numbers/numbers.ts'
import { type Corrector, lockWishes, mergeWishes, partWishes } from '../corrections/corrections.ts'
import { openPairs, readPair } from './list.ts'

export const answers = ['same', 'not_the_same', 'skip'] as const
export type SuggestionAnswer = (typeof answers)[number]

/**
 * Answers whether two wishes are the same: merges them into the more voted, parts them, or skips the question.
 * @returns the correction, for undoing it, and the wish that stays.
 * @throws ServiceError NOT_FOUND if the pair is not stored or visible, CONFLICT if answered; errors of corrections.
 */
export async function answerSuggestion(
  transaction: Transaction,
  { suggestionId, answer, ...corrector }: Corrector & { suggestionId: string; answer: SuggestionAnswer },
): Promise<{ correctionId: string; wishId: string }> {
  const pair = isId(suggestionId) ? await readPair(transaction, suggestionId) : null
  if (pair === null) throw notFound('Suggestion')
  const view = { account: corrector.accountId, least: 2 as const }
  const readOpen = async () => (await openPairs(transaction, [pair], view))[0]
  const before = await readOpen()
  // Read again under the locks, since two people may answer at once.
  if (before !== undefined) await lockWishes(transaction, corrector.accountId, before.wishIds)
  const open = before === undefined ? undefined : await readOpen()
  if (open === undefined)
    throw new ServiceError('CONFLICT', 'Nothing is to be answered: these are one wish, were answered, or are not seen.')
  const numbers = await readWishNumbers(transaction, open.wishIds, view)
  const [one, other] = open.wishIds.toSorted((a, b) => (numbers.get(b)?.votes ?? 0) - (numbers.get(a)?.votes ?? 0)) as [
    string,
    string,
  ]
  const correctionId =
    answer === 'same'
      ? await mergeWishes(transaction, { ...corrector, toWishId: one, fromWishId: other })
      : await partWishes(transaction, {
          ...corrector,
          kind: answer === 'skip' ? 'skip' : 'part',
          wishIds: [one, other],
        })
  return { correctionId, wishId: one }
}
