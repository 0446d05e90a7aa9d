import { useInfiniteQuery } from '@tanstack/react-query'
import { readStatement } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { StatementEntry } from '../api/types.ts'
import { jobAddress } from '../shell/addresses.ts'
import { dateAndTime, signed } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { accountTexts as texts } from '../texts/account.ts'

/** Every entry of the ledger with its cause, the newest first. */
export function Statement() {
  const owner = useOwner()
  const statement = useInfiniteQuery({
    queryKey: [owner, 'usage', 'statement'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readStatement(pageParam, { signal }),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
  })
  const entries = statement.data?.pages.flatMap((page) => page.entries)
  return (
    <section aria-labelledby="statement">
      <h2 id="statement">{texts.statement}</h2>
      {entries === undefined &&
        (statement.error === null ? <Loading /> : <Problem error={statement.error} retry={statement.refetch} />)}
      {entries?.length === 0 && <p className="note">{texts.noEntries}</p>}
      {entries && entries.length > 0 && <Entries entries={entries} />}
      {entries && <MoreButton query={statement} />}
    </section>
  )
}

/** The change of the used credits by an entry: held credits count as used, released ones do not. */
const poolChange = ({ changes }: StatementEntry) => changes.poolHeld + changes.poolSettled
const amountOf = ({ changes, kind }: StatementEntry) =>
  Math.abs(
    kind === 'grant'
      ? changes.paygGranted
      : kind === 'settle'
        ? changes.poolSettled + changes.paygSettled
        : changes.poolHeld + changes.paygHeld,
  )
const paygChange = ({ changes }: StatementEntry) => changes.paygGranted - changes.paygSettled - changes.paygHeld

const Entries = ({ entries }: { entries: StatementEntry[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.entries}>
    <table>
      <caption className="unseen">{texts.statement}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.when}</th>
          <th scope="col">{texts.what}</th>
          <th scope="col" className="number">
            {texts.poolChange}
          </th>
          <th scope="col" className="number">
            {texts.paygChange}
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.entryId}>
            <td>{dateAndTime(entry.createdAt)}</td>
            <td>
              {texts.moved(texts.kinds[entry.kind], amountOf(entry))} ·{' '}
              {entry.operation === 'scrape' ? (
                <Link href={jobAddress(entry.cause)}>{texts.toJob}</Link>
              ) : (
                texts.operations[entry.operation]
              )}
              {entry.pack !== null && ` ${texts.packNames[entry.pack]}`}
            </td>
            <td className="number">{signed(poolChange(entry))}</td>
            <td className="number">{signed(paygChange(entry))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
