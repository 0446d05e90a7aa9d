import { useMutation } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import type { Difference } from '../api/types.ts'
import { Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { operatorTexts as texts } from '../texts/later/operator.ts'

/** Recomputes every balance from the ledger, and shows the differences. */
export function Ledger() {
  const check = useMutation({ mutationFn: async () => (await dataOf(api.GET('/api/admin/verify'))).differences })
  return (
    <Page title={texts.ledger} intro={texts.ledgerIntro}>
      <p>
        <button type="button" className="primary" disabled={check.isPending} onClick={() => check.mutate()}>
          {check.isPending ? texts.verifying : texts.verify}
        </button>
      </p>
      <p role="status">{check.data && (check.data.length === 0 ? texts.sound : texts.unsound(check.data.length))}</p>
      {check.error !== null && <Problem error={check.error} retry={() => check.mutate()} />}
      {check.data && check.data.length > 0 && <Differences differences={check.data} />}
    </Page>
  )
}

const Differences = ({ differences }: { differences: Difference[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable with the keyboard
  <section className="table-frame" tabIndex={0} aria-label={texts.differences}>
    <table>
      <caption className="unseen">{texts.differences}</caption>
      <thead>
        <tr>
          {[texts.account, texts.check, texts.subject, texts.stored, texts.expected].map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {differences.map((difference) => (
          <tr key={`${difference.accountId} ${difference.check} ${difference.subject}`}>
            <th scope="row">
              <code>{difference.accountId}</code>
            </th>
            <td>{difference.check}</td>
            <td>{difference.subject}</td>
            <td>{difference.stored ?? '–'}</td>
            <td>{difference.expected ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
