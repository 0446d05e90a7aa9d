import type { ApiKey } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { ago, date, number } from '../shell/format.ts'
import { accountTexts as texts } from '../texts/account.ts'

interface KeyTableProps {
  keys: ApiKey[]
  /** The key that is being revoked. */
  busy: string | null
  onRevoke: (keyId: string) => void
}

/** Whether a key opens nothing any more. */
const isOver = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now())

export const KeyTable = ({ keys, busy, onRevoke }: KeyTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.keyTable}>
    <table className="keys">
      <caption className="unseen">{texts.keys}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.keyName}</th>
          <th scope="col">{texts.keyBegins}</th>
          <th scope="col">{texts.scope}</th>
          <th scope="col">{texts.usedThisMonth}</th>
          <th scope="col">{texts.expires}</th>
          <th scope="col">{texts.keyMade}</th>
          <th scope="col">{texts.keyUsed}</th>
          <th scope="col">
            <span className="unseen">{texts.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.keyId} className={isOver(key) ? 'revoked' : undefined}>
            <th scope="row">
              <bdi>{key.name}</bdi>
            </th>
            <td>
              <code>{key.hint}</code>
            </td>
            <td>{texts.scopes[key.scope]}</td>
            <td>
              {key.monthlyCredits === null
                ? number(key.usedThisMonth)
                : texts.usedOf(number(key.usedThisMonth), number(key.monthlyCredits))}
            </td>
            <td>{key.expiresAt === null ? texts.never : date(key.expiresAt)}</td>
            <td>{date(key.createdAt)}</td>
            <td>{key.lastUsedAt === null ? texts.never : ago(key.lastUsedAt)}</td>
            <td>
              {key.revokedAt !== null ? (
                <span className="note">{texts.revoked(date(key.revokedAt))}</span>
              ) : isOver(key) ? (
                <span className="note">{texts.expired}</span>
              ) : (
                <ConfirmButton
                  label={texts.revokeLabel(key.name)}
                  question={texts.revokeQuestion}
                  confirm={texts.revokeConfirm}
                  busy={busy === key.keyId}
                  onConfirm={() => onRevoke(key.keyId)}
                >
                  {texts.revoke}
                </ConfirmButton>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
