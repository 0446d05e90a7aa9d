import { useInfiniteQuery } from '@tanstack/react-query'
import { api, dataOf, pageAt } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { PaidCollection, UsageQuery } from '../api/types.ts'
import { jobAddress } from '../shell/addresses.ts'
import { ago, dateAndTime, number, platformTitle } from '../shell/format.ts'
import { MoreButton } from '../shell/more-button.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { accountTexts as texts } from '../texts/later/account.ts'

/** What each collection of a period cost, and who began it. The rows add up to what the period says above. */
export function Collections({ period }: { period: UsageQuery }) {
  const owner = useOwner()
  const query = useInfiniteQuery({
    queryKey: [owner, 'usage', 'collections', period],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      dataOf(api.GET('/api/v1/usage/collections', { params: { query: { ...period, ...pageAt(pageParam) } }, signal })),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined) ?? undefined,
  })
  const rows = query.data?.pages.flatMap((page) => page.results)
  if (!rows) return query.error === null ? null : <Problem error={query.error} retry={query.refetch} />
  if (rows.length === 0) return <p className="note">{texts.noCollections}</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard */}
      <section className="table-frame" tabIndex={0} aria-label={texts.collections}>
        <table>
          <caption className="unseen">{texts.collections}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.what}</th>
              <th scope="col">{texts.who}</th>
              <th scope="col">{texts.when}</th>
              <th scope="col" className="number">
                {texts.reserved}
              </th>
              <th scope="col" className="number">
                {texts.charged}
              </th>
              <th scope="col" className="number">
                {texts.returned}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <CollectionRow key={row.collectionId} row={row} />
            ))}
          </tbody>
        </table>
      </section>
      <MoreButton query={query} />
    </>
  )
}

/** The watch, the person or the key that began it. */
const whoOf = ({ watchName, watchId, personName, keyName }: PaidCollection['startedBy']): string =>
  watchId !== null ? texts.byWatchOf(watchName ?? texts.goneWatch) : (personName ?? keyName ?? texts.ofPage)

const CollectionRow = ({ row }: { row: PaidCollection }) => {
  const { collectionId, operation, topic, platforms, startedBy, startedAt, held } = row
  const name = topic ?? texts.operations[operation]
  return (
    <tr>
      <th scope="row">
        {operation === 'scrape' ? (
          <Link href={jobAddress(collectionId)} dir="auto">
            {name}
          </Link>
        ) : (
          <bdi>{name}</bdi>
        )}
        <span className="note">
          {operation === 'scrape' ? '' : `${texts.operations[operation]} · `}
          {platforms.map(platformTitle).join(', ')}
        </span>
      </th>
      <td>
        <bdi>{whoOf(startedBy)}</bdi>
      </td>
      <td>
        <time dateTime={startedAt} title={dateAndTime(startedAt)}>
          {ago(startedAt)}
        </time>
      </td>
      <td className="number">{number(row.reserved)}</td>
      <td className="number">
        {number(row.settled)}
        {held > 0 && <div className="note">{texts.stillHeld(held)}</div>}
      </td>
      <td className="number">{number(row.released)}</td>
    </tr>
  )
}
