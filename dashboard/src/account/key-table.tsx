import { useQuery } from '@tanstack/react-query'
import type { ApiKey, MadeByKey } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { ago, date, number } from '../shell/format.ts'
import { accountTexts as texts } from '../texts/later/account.ts'

interface KeyTableProps {
  keys: ApiKey[]
  /** The key that is being revoked. */
  busy: string | null
  /** Revokes a key, alone or with all that it made. */
  onRevoke: (keyId: string, withMade: boolean) => void
  readMade: (keyId: string, signal: AbortSignal) => Promise<MadeByKey>
}

/** Whether a key opens nothing any more. */
const isOver = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now())

interface MadeProps {
  keyId: string
  readMade: KeyTableProps['readMade']
  onRevokeAll: () => void
}

/** What a key made that is there still, and the button that ends it together with the key. */
function Made({ keyId, readMade, onRevokeAll }: MadeProps) {
  const { data } = useQuery({
    queryKey: ['made by', keyId],
    queryFn: ({ signal }) => readMade(keyId, signal),
    gcTime: 0,
  })
  if (!data || Object.values(data).every((things) => things.length === 0)) return null
  return (
    <>
      <span>
        {texts.made(data)}{' '}
        <bdi>
          {Object.values(data)
            .flat()
            .map(({ name }) => name)
            .join(', ')}
        </bdi>
      </span>
      <button type="button" className="danger" onClick={onRevokeAll}>
        {texts.revokeAll(data)}
      </button>
    </>
  )
}

export const KeyTable = ({ keys, busy, onRevoke, readMade }: KeyTableProps) => (
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
                  onConfirm={() => onRevoke(key.keyId, false)}
                  more={(answer) => (
                    <Made
                      keyId={key.keyId}
                      readMade={readMade}
                      onRevokeAll={() => answer(() => onRevoke(key.keyId, true))}
                    />
                  )}
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
