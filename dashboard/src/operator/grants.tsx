import { useMutation, useQueryClient } from '@tanstack/react-query'
import { packOrder } from '../account/account.tsx'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { readPricing } from '../api/pricing.ts'
import { useOwner } from '../api/session-store.ts'
import type { Account, PackName } from '../api/types.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { number } from '../shell/format.ts'
import { Problem } from '../shell/problem.tsx'
import { accountTexts } from '../texts/later/account.ts'
import { operatorTexts as texts } from '../texts/later/operator.ts'

/** Grants packs that were paid for, which nothing takes back. A second click while the first call is running, or after its answer was lost, adds nothing. */
export function Grants({ account: { accountId, name } }: { account: Account }) {
  const { packs } = readPricing()
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  const grant = useMutation({
    mutationFn: (pack: PackName) =>
      dataOf(
        api.POST('/api/admin/accounts/{accountId}/packs', {
          params: { path: { accountId }, ...once(keyFor([accountId, pack])) },
          body: { pack },
        }),
      ),
    onSuccess: () => {
      done()
      void queries.invalidateQueries({ queryKey: [owner, 'account', accountId, 'usage'] })
    },
  })
  return (
    <div className="grants">
      <h3>{texts.grant}</h3>
      <div className="actions">
        {packOrder.map((pack) => (
          <ConfirmButton
            key={pack}
            question={texts.grantQuestion(name, packs[pack].credits)}
            confirm={texts.grantConfirm}
            className=""
            busy={grant.isPending}
            onConfirm={() => grant.mutate(pack)}
          >
            {texts.grantPack(accountTexts.packNames[pack], packs[pack].credits)}
          </ConfirmButton>
        ))}
      </div>
      <p role="status" className="note">
        {grant.isPending && texts.granting}
        {grant.isSuccess && texts.granted(accountTexts.packNames[grant.variables], number(grant.data.paygBalance))}
      </p>
      {grant.error !== null && <Problem error={grant.error} retry={() => grant.mutate(grant.variables!)} />}
    </div>
  )
}
