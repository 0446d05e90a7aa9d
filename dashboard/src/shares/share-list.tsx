import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, wholeList } from '../api/client.ts'
import { useMayManage, useOwner } from '../api/session-store.ts'
import type { Share } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { date } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { shareTexts as texts } from '../texts/shares.ts'

/** Every page that is shared, to be revoked. The addresses themselves are not shown again. */
export function SharesPage() {
  const owner = useOwner()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'shares'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/v1/shares', { params: { query }, signal }))).results,
  })
  const revocation = useMutation({
    mutationFn: (shareId: string) => dataOf(api.DELETE('/api/v1/shares/{shareId}', { params: { path: { shareId } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: [owner, 'shares'] }),
  })
  return (
    <Page title={texts.list} intro={texts.listIntro}>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data?.length === 0 && <p className="note">{texts.none}</p>}
      {data && data.length > 0 && (
        <ul className="shares">
          {data.map((share) => (
            <ShareLine
              key={share.shareId}
              share={share}
              isBusy={revocation.isPending && revocation.variables === share.shareId}
              revoke={() => revocation.mutate(share.shareId)}
            />
          ))}
        </ul>
      )}
      {revocation.error !== null && <Problem error={revocation.error} />}
    </Page>
  )
}

/** What is shown, in words. */
function nameOf({ title, wishTitle, wishId, topic, view }: Share): string {
  if (title !== null) return title
  if (wishId !== null) return wishTitle ?? texts.goneWish
  if (topic !== null) return topic
  const query = view?.query
  return typeof query === 'string' ? `“${query}”` : texts.list
}

const ShareLine = ({ share, isBusy, revoke }: { share: Share; isBusy: boolean; revoke: () => void }) => (
  <li>
    <p>
      <strong dir="auto">{nameOf(share)}</strong> <code>{share.hint}…</code>
    </p>
    <p className="note">
      {[
        texts.sharedOn(date(share.createdAt), share.personName),
        texts.until(date(share.expiresAt)),
        share.lastOpenedOn === null ? texts.neverOpened : texts.openedOn(date(share.lastOpenedOn)),
        ...(share.withNotes ? [texts.hasNotes] : []),
      ].join(' · ')}
    </p>
    <Revoke name={nameOf(share)} isBusy={isBusy} revoke={revoke} />
  </li>
)

function Revoke({ name, isBusy, revoke }: { name: string; isBusy: boolean; revoke: () => void }) {
  if (!useMayManage()) return null
  return (
    <ConfirmButton
      label={texts.revokeLabel(name)}
      question={texts.revokeQuestion}
      confirm={texts.revokeConfirm}
      busy={isBusy}
      onConfirm={revoke}
    >
      {texts.revoke}
    </ConfirmButton>
  )
}
