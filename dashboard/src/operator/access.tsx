import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { SecretOnce } from '../account/secret-once.tsx'
import { api, dataOf, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { ago, dateAndTime } from '../shell/format.ts'
import { Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { operatorTexts as texts } from '../texts/later/operator.ts'

/** Invitations to an account without a key, and the end of its sessions. */
export function Access({ accountId }: { accountId: string }) {
  const owner = useOwner()
  const queries = useQueryClient()
  const queryKey = [owner, 'account', accountId, 'links']
  const refresh = () => void queries.invalidateQueries({ queryKey })
  const params = { path: { accountId } }
  const links = '/api/admin/accounts/{accountId}/links'
  const invitation = useMutation({
    gcTime: 0,
    mutationFn: () => dataOf(api.POST(links, { params, body: {} })),
    onSuccess: refresh,
  })
  const revocation = useMutation({ mutationFn: () => dataOf(api.DELETE(links, { params })), onSettled: refresh })
  const ending = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/admin/accounts/{accountId}/sessions', { params })),
  })
  return (
    <section aria-labelledby="access">
      <h2 id="access">{texts.access}</h2>
      <p className="note">{texts.accessIntro}</p>
      <div className="actions">
        <button type="button" disabled={invitation.isPending} onClick={() => invitation.mutate()}>
          {invitation.isPending ? texts.inviting : texts.invite}
        </button>
        <ConfirmButton
          question={texts.endSessionsQuestion}
          confirm={texts.endSessionsConfirm}
          busy={ending.isPending}
          onConfirm={() => ending.mutate()}
        >
          {texts.endSessions}
        </ConfirmButton>
      </div>
      {invitation.data && (
        <SecretOnce
          title={texts.invitation}
          advice={texts.invitationAdvice(dateAndTime(invitation.data.expiresAt))}
          secret={invitation.data.url}
          onClose={invitation.reset}
        />
      )}
      <p role="status" className="note">
        {ending.isSuccess && texts.sessionsEnded(ending.data.ended)}
        {revocation.isSuccess && texts.linksRevoked(revocation.data.revoked)}
      </p>
      {[invitation, revocation, ending].map(
        ({ error }, position) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the three mutations have a fixed order
          error !== null && <Problem key={position} error={error} />,
      )}
      <OpenLinks accountId={accountId} queryKey={queryKey} revocation={revocation} />
    </section>
  )
}

interface OpenLinksProps {
  accountId: string
  queryKey: unknown[]
  revocation: { isPending: boolean; mutate: () => void }
}

/** The links that have not been used yet. */
function OpenLinks({ accountId, queryKey, revocation }: OpenLinksProps) {
  const links = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (
        await wholeList((query) =>
          api.GET('/api/admin/accounts/{accountId}/links', { params: { path: { accountId }, query }, signal }),
        )
      ).results,
  })
  return (
    <>
      <h3>{texts.openLinks}</h3>
      {!links.data && (links.error === null ? <Loading /> : <Problem error={links.error} retry={links.refetch} />)}
      {links.data?.length === 0 && <p className="note">{texts.noLinks}</p>}
      {links.data && links.data.length > 0 && (
        <>
          <ul className="links">
            {links.data.map((link) => (
              <li key={link.linkId}>{texts.link(ago(link.createdAt), dateAndTime(link.expiresAt))}</li>
            ))}
          </ul>
          <ConfirmButton
            question={texts.revokeLinksQuestion}
            confirm={texts.revokeLinksConfirm}
            busy={revocation.isPending}
            onConfirm={() => revocation.mutate()}
          >
            {texts.revokeLinks}
          </ConfirmButton>
        </>
      )}
    </>
  )
}
