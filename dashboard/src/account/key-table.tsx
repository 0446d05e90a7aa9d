import type { ApiKey } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { ago, date } from '../shell/format.ts'
import { accountTexts as texts } from '../texts/account.ts'

interface KeyTableProps {
  keys: ApiKey[]
  /** The key that is being revoked. */
  busy: string | null
  onRevoke: (keyId: string) => void
}

export const KeyTable = ({ keys, busy, onRevoke }: KeyTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.keyTable}>
    <table className="keys">
      <caption className="unseen">{texts.keys}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.keyName}</th>
          <th scope="col">{texts.keyBegins}</th>
          <th scope="col">{texts.keyMade}</th>
          <th scope="col">{texts.keyUsed}</th>
          <th scope="col">
            <span className="unseen">{texts.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.keyId} className={key.revokedAt === null ? undefined : 'revoked'}>
            <th scope="row">
              <bdi>{key.name}</bdi>
            </th>
            <td>
              <code>{key.hint}</code>
            </td>
            <td>{date(key.createdAt)}</td>
            <td>{key.lastUsedAt === null ? texts.never : ago(key.lastUsedAt)}</td>
            <td>
              {key.revokedAt === null ? (
                <ConfirmButton
                  label={texts.revokeLabel(key.name)}
                  question={texts.revokeQuestion}
                  confirm={texts.revokeConfirm}
                  busy={busy === key.keyId}
                  onConfirm={() => onRevoke(key.keyId)}
                >
                  {texts.revoke}
                </ConfirmButton>
              ) : (
                <span className="note">{texts.revoked(date(key.revokedAt))}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
