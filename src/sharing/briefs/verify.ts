import { diffArrays } from 'diff'
import type { Executor } from '../../database/open.ts'
import type { Account } from '../../http/callers.ts'
import { type RequestRecord, readRequests } from '../../requests/record.ts'
import { viewOf } from '../../requests/view.ts'
import { readWishes, type WishSummary } from '../../wishes/list/summary.ts'
import { readBriefOfSnapshot } from './briefs.ts'
import { briefFile, formatOf, type Line, linesOf, namedSnapshot } from './files.ts'
import { isButForRemovals } from './removals.ts'
import type { BriefQuote, BriefWish, Verification } from './schemas.ts'

/** Further differences add nothing. */
const maxChanges = 50
/** With more differing lines, none are compared: the time grows with their square. */
const maxEdits = 2_000

type Change = Verification['changes'][number]

const joined = (lines: readonly Line[]) => lines.map(({ text }) => text).join('\n')

function changesOf(made: readonly Line[], file: readonly Line[]): Change[] {
  const comparator = (one: Line, other: Line) => one.text === other.text
  const parts = diffArrays([...made], [...file], { comparator, maxEditLength: maxEdits })
  if (parts === undefined) return [{ line: 1, made: made[0]?.text ?? '', file: file[0]?.text ?? '' }]
  const changes: Change[] = []
  let at = 0
  let isOpen = false
  for (const { added, removed, value } of parts) {
    const isChange = added || removed
    if (isChange && !isOpen) changes.push({ line: file[at]?.number ?? file.length, made: '', file: '' })
    if (isChange) changes.at(-1)![removed ? 'made' : 'file'] = joined(value)
    isOpen = isChange
    if (!removed) at += value.length
  }
  return changes
}

type Difference = Verification['noLongerHolds'][number]

function wishDifferences(wish: BriefWish, now: WishSummary | undefined): Difference[] {
  const of = { wishId: wish.wishId, requestId: null }
  if (now === undefined) return [{ ...of, what: 'wish', was: wish.title?.text ?? null, now: null }]
  return [
    ...(now.votes === wish.votes
      ? []
      : [{ ...of, what: 'votes' as const, was: String(wish.votes), now: String(now.votes) }]),
    ...(now.requestCount === wish.requestCount
      ? []
      : [{ ...of, what: 'requests' as const, was: String(wish.requestCount), now: String(now.requestCount) }]),
    ...(now.status === wish.status ? [] : [{ ...of, what: 'status' as const, was: wish.status, now: now.status }]),
  ]
}

const quotesOf = ({ title, quotes }: BriefWish): BriefQuote[] => [title, ...quotes].filter((quote) => quote !== null)

function quoteDifferences(wish: BriefWish, records: ReadonlyMap<string, RequestRecord>): Difference[] {
  return quotesOf(wish).flatMap((quote) => {
    const record = records.get(quote.requestId)
    if (record !== undefined && (record.title.includes(quote.text) || record.description.includes(quote.text)))
      return []
    return [{ what: 'quote' as const, wishId: wish.wishId, requestId: quote.requestId, was: quote.text, now: null }]
  })
}

interface VerifyInput {
  file: string
  account: Pick<Account, 'accountId' | 'hasOwnView'>
  now: Date
}

/**
 * Compares a file with the stored brief that it names, and that brief with the current state. Finds any changed
 * character, because the whole file is compared and nothing it says about itself is trusted.
 */
export async function verifyBrief(executor: Executor, { file, account, now }: VerifyInput): Promise<Verification> {
  const snapshot = namedSnapshot(file)
  const brief = snapshot === null ? null : await readBriefOfSnapshot(executor, account.accountId, snapshot)
  if (brief === null) return { verdict: 'unknown', briefId: null, snapshot, changes: [], removed: 0, noLongerHolds: [] }
  const format = formatOf(file)
  const made = briefFile(brief, format)
  const isWhole = brief.removed > 0 && isButForRemovals(file, { made, brief, format })
  const changes = isWhole ? [] : changesOf(linesOf(made), linesOf(file))
  const wishes = [...brief.document.wishes, ...brief.document.settled].filter((wish) => wish !== null)
  const view = viewOf(account)
  const present = await readWishes(
    executor,
    wishes.map(({ wishId }) => wishId),
    { view, now },
  )
  const wishOf = new Map(present.map((wish) => [wish.wishId, wish]))
  const ids = wishes.flatMap(quotesOf).map(({ requestId }) => requestId)
  const records = await readRequests(executor, [...new Set(ids)], { fullText: true, view })
  const recordOf = new Map(records.map((record) => [record._id, record]))
  return {
    verdict: changes.length === 0 ? 'intact' : 'changed',
    briefId: brief.briefId,
    snapshot,
    changes: changes.slice(0, maxChanges),
    removed: brief.removed,
    noLongerHolds: wishes.flatMap((wish) => [
      ...wishDifferences(wish, wishOf.get(wish.wishId)),
      ...quoteDifferences(wish, recordOf),
    ]),
  }
}
