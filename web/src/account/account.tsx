import { useQuery } from '@tanstack/react-query'
import { packs } from '../../../src/credits/plans.ts'
import { packOrder, readUsage } from '../api/calls.ts'
import { useOwner } from '../api/session-store.ts'
import type { UsageRecord } from '../api/types.ts'
import { dateAndTime, number } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { accountTexts as texts } from '../texts/account.ts'
import { Keys } from './keys.tsx'
import { Statement } from './statement.tsx'
import { UsageChart } from './usage-chart.tsx'

export const chartDays = 30

/** Plan, credits, what was spent, and the keys of the account. */
export function AccountPage() {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'usage', 'days'],
    queryFn: ({ signal }) => readUsage(chartDays, { signal }),
  })
  return (
    <Page title={texts.title}>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data && <Plan usage={data} />}
      {data?.days && <UsageChart days={data.days} />}
      <Keys />
      <Statement />
    </Page>
  )
}

export function Pool({ usage }: { usage: Pick<UsageRecord, 'tier' | 'credits' | 'paygBalance' | 'paygMonthlyCap'> }) {
  const { used, limit, remaining, resetsAt } = usage.credits
  return (
    <dl className="figures">
      <div>
        <dt>{texts.plan}</dt>
        <dd>{texts.tiers[usage.tier]}</dd>
      </div>
      <div className="wide">
        <dt>{texts.pool}</dt>
        <dd>
          <meter min={0} max={limit} value={Math.min(used, limit)} aria-label={texts.poolUsed(used, limit)} />
          {texts.poolUsed(used, limit)}
          <span className="note">{texts.poolLeft(remaining, dateAndTime(resetsAt))}</span>
        </dd>
      </div>
      <div>
        <dt>{texts.payg}</dt>
        <dd>
          {number(usage.paygBalance)}
          <span className="note">
            {usage.paygMonthlyCap === null ? texts.noCap : texts.cap(number(usage.paygMonthlyCap))}
          </span>
        </dd>
      </div>
    </dl>
  )
}

const Plan = ({ usage }: { usage: UsageRecord }) => (
  <section aria-labelledby="plan">
    <h2 id="plan">{texts.planAndCredits}</h2>
    <Pool usage={usage} />
    <p className="note">{texts.rateLimit(usage.rateLimit.limit)}</p>
    <h3>{texts.packs}</h3>
    <ul className="packs">
      {packOrder.map((name) => (
        <li key={name}>
          <strong>{texts.packNames[name]}</strong>
          <span>{texts.packCredits(packs[name].credits)}</span>
          <span>{texts.price(packs[name].priceUsd)}</span>
        </li>
      ))}
    </ul>
    <p className="note">{texts.packsAdvice}</p>
  </section>
)
