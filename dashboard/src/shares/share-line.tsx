import { useMayManage } from '../api/session-store.ts'
import type { Share } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { date } from '../shell/format.ts'
import { shareTexts as texts } from '../texts/later/shares.ts'
import { viewTexts } from '../texts/views.ts'
import type { useRevocation } from './use-shares.ts'

/** What is shown, in words. */
function nameOf({ title, wishTitle, wishId, topic, view, briefId }: Share): string {
  if (title !== null) return title
  if (wishId !== null) return wishTitle ?? texts.goneWish
  if (topic !== null) return topic
  if (briefId !== null) return texts.brief
  const query = view?.query
  return typeof query === 'string' ? viewTexts.words(query) : texts.list
}

/** A page that is shared, with what ends it. The address itself is not shown again. */
export const ShareLine = ({ share, revocation }: { share: Share; revocation: ReturnType<typeof useRevocation> }) => (
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
    <Revoke
      name={nameOf(share)}
      isBusy={revocation.isPending && revocation.variables === share.shareId}
      revoke={() => revocation.mutate(share.shareId)}
    />
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
