import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, dataOf, isStatus, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Feed } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { ago, date } from '../shell/format.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { feedTexts as texts } from '../texts/feeds.ts'

/** Every address for feed readers, to be revoked. The addresses themselves are not shown again. */
export function FeedList() {
  const owner = useOwner()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'feeds'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/feeds', { params: { query }, signal }))).results,
    retry: (failures, reason) => failures < 2 && isStatus(reason, 0, 500, 502, 504),
  })
  const revocation = useMutation({
    mutationFn: (feedId: string) => dataOf(api.DELETE('/api/v1/feeds/{feedId}', { params: { path: { feedId } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: [owner, 'feeds'] }),
  })
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (location.hash === '#feeds') section.current?.scrollIntoView()
  }, [])
  return (
    <section ref={section} id="feeds" aria-labelledby="feeds-title">
      <h2 id="feeds-title">{texts.title}</h2>
      <p className="note">{texts.listIntro}</p>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && <p className="note">{texts.none}</p>}
      {data && data.length > 0 && (
        <FeedTable
          feeds={data}
          busy={revocation.isPending ? revocation.variables : null}
          onRevoke={(feedId) => revocation.mutate(feedId)}
        />
      )}
      {revocation.error !== null && <Problem error={revocation.error} />}
    </section>
  )
}

interface FeedTableProps {
  feeds: Feed[]
  /** The feed that is being revoked. */
  busy: string | null
  onRevoke: (feedId: string) => void
}

const FeedTable = ({ feeds, busy, onRevoke }: FeedTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.table}>
    <table>
      <caption className="unseen">{texts.title}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.what}</th>
          <th scope="col">{texts.kind}</th>
          <th scope="col">{texts.begins}</th>
          <th scope="col">{texts.createdAt}</th>
          <th scope="col">{texts.read}</th>
          <th scope="col">
            <span className="unseen">{texts.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {feeds.map((feed) => (
          <tr key={feed.feedId}>
            <th scope="row">
              <bdi>{feed.name}</bdi>
            </th>
            <td>{texts.kinds[feed.kind]}</td>
            <td>
              <code>{feed.hint}</code>
            </td>
            <td>{date(feed.createdAt)}</td>
            <td>{feed.lastReadAt === null ? texts.never : ago(feed.lastReadAt)}</td>
            <td>
              <ConfirmButton
                label={texts.revokeLabel(feed.name)}
                question={texts.revokeQuestion}
                confirm={texts.revokeConfirm}
                busy={busy === feed.feedId}
                onConfirm={() => onRevoke(feed.feedId)}
              >
                {texts.revoke}
              </ConfirmButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
