import { useInfiniteQuery } from '@tanstack/react-query'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { StatementEntry } from '../api/types.ts'
import { jobAddress } from '../shell/addresses.ts'
import { dateAndTime, signed } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { accountTexts as texts } from '../texts/later/account.ts'

/** A collection has three entries: a page of few would have most of them in part. */
const entriesAtOnce = 100

/** What moved credits, the newest first: a row for each job, call and pack. */
export function Statement() {
  const owner = useOwner()
  const statement = useInfiniteQuery({
    queryKey: [owner, 'usage', 'statement'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(api.GET('/api/v1/usage/entries', { params: { query: pageAt(pageParam, entriesAtOnce) }, signal })),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
  })
  const entries = statement.data?.pages.flatMap((page) => page.results)
  return (
    <section aria-labelledby="statement">
      <h2 id="statement">{texts.statement}</h2>
      {entries === undefined &&
        (statement.error === null ? <Loading /> : <Problem error={statement.error} retry={statement.refetch} />)}
      {entries?.length === 0 && <p className="note">{texts.noEntries}</p>}
      {entries && entries.length > 0 && <Entries entries={entries} hasMore={statement.hasNextPage} />}
      {entries && <MoreButton query={statement} />}
    </section>
  )
}

/** The entries of one cause, the latest first: a job is one row. */
const rowsOf = (entries: readonly StatementEntry[]): StatementEntry[][] => [
  ...Map.groupBy(entries, ({ cause, entryId, kind }) => (kind === 'grant' ? String(entryId) : cause)).values(),
]
/** Whether the first entry of a cause is on a later page: then its sums are not those of the whole. */
const isCut = (row: readonly StatementEntry[]) => !row.some(({ kind }) => kind === 'reserve' || kind === 'grant')

type Changes = StatementEntry['changes']
const sumOf = (row: readonly StatementEntry[], changeOf: (changes: Changes) => number) =>
  row.reduce((sum, { changes }) => sum + changeOf(changes), 0)

/** What a cause came to: what it still holds, was charged or added. */
function amountsOf(row: readonly StatementEntry[]): string {
  const amounts = [
    ['reserve', sumOf(row, ({ poolHeld, paygHeld }) => poolHeld + paygHeld)],
    ['settle', sumOf(row, ({ poolSettled, paygSettled }) => poolSettled + paygSettled)],
    ['grant', sumOf(row, ({ paygGranted }) => paygGranted)],
  ] as const
  const moved = amounts
    .filter(([, credits]) => credits > 0)
    .map(([kind, credits]) => texts.moved(texts.kinds[kind], credits))
  return moved.length === 0 ? texts.nothingCharged : moved.join(', ')
}

const Entries = ({ entries, hasMore }: { entries: StatementEntry[]; hasMore: boolean }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.entries}>
    <table>
      <caption className="unseen">{texts.statement}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.when}</th>
          <th scope="col">{texts.what}</th>
          <th scope="col">{texts.who}</th>
          <th scope="col">{texts.credits}</th>
          <th scope="col" className="number">
            {texts.poolChange}
          </th>
          <th scope="col" className="number">
            {texts.paygChange}
          </th>
        </tr>
      </thead>
      <tbody>
        {rowsOf(entries)
          .filter((row) => !hasMore || !isCut(row))
          .map((row) => (
            <Row key={row[0]!.entryId} row={row} />
          ))}
      </tbody>
    </table>
  </section>
)

function Row({ row }: { row: StatementEntry[] }) {
  const { createdAt, operation, cause, topic, pack, keyName, watchName } = row[0]!
  return (
    <tr>
      <td>{dateAndTime(createdAt)}</td>
      <td>
        {operation === 'scrape' ? (
          <Link href={jobAddress(cause)} dir="auto">
            {topic ?? texts.toJob}
          </Link>
        ) : (
          texts.operations[operation]
        )}
        {pack !== null && ` ${texts.packNames[pack]}`}
      </td>
      <td>
        <bdi>{pack === null ? (watchName ?? keyName ?? texts.ofPage) : ''}</bdi>
      </td>
      <td>{amountsOf(row)}</td>
      <td className="number">{signed(sumOf(row, ({ poolHeld, poolSettled }) => poolHeld + poolSettled))}</td>
      <td className="number">
        {signed(sumOf(row, (changes) => changes.paygGranted - changes.paygSettled - changes.paygHeld))}
      </td>
    </tr>
  )
}
