import { isFree, readPricing } from '../api/pricing.ts'
import type { PackName, UsageRecord } from '../api/types.ts'
import { dateAndTime, number } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { accountTexts as texts } from '../texts/later/account.ts'
import { Spenders } from './spenders.tsx'
import { Statement } from './statement.tsx'
import { UsageChart } from './usage-chart.tsx'
import { useUsageByDay } from './use-usage.ts'

export const packOrder: PackName[] = ['starter', 'standard', 'bulk']

/** Plan, credits, spending and keys of the account. */
export function AccountPage() {
  const { data, error, refetch } = useUsageByDay()
  return (
    <Page title={texts.title}>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data && <Plan usage={data} />}
      <Spenders />
      {data?.days && <UsageChart days={data.days} />}
      <Statement />
      {!isFree() && <Packs />}
    </Page>
  )
}

type Balanced = Pick<UsageRecord, 'tier' | 'credits' | 'paygBalance' | 'paygMonthlyCap'>

export function Pool({ usage }: { usage: Balanced }) {
  return (
    <dl className="figures">
      <div>
        <dt>{texts.plan}</dt>
        <dd>{texts.tiers[usage.tier]}</dd>
      </div>
      {isFree() ? <Free /> : <Balances usage={usage} />}
    </dl>
  )
}

const Free = () => (
  <div className="wide">
    <dt>{texts.pool}</dt>
    <dd>{texts.free}</dd>
  </div>
)

function Balances({ usage }: { usage: Balanced }) {
  const { used, limit, remaining, resetsAt, held = 0 } = usage.credits
  // Held credits are not spent: the chart does not contain them either.
  const spent = used - held
  return (
    <>
      <div className="wide">
        <dt>{texts.pool}</dt>
        <dd>
          <meter min={0} max={limit} value={Math.min(used, limit)} aria-label={texts.poolTaken(used, limit)} />
          {texts.poolUsed(spent, limit)}
          {held > 0 && <span className="note">{texts.poolHeld(held)}</span>}
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
    </>
  )
}

function Plan({ usage }: { usage: UsageRecord }) {
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">{texts.planAndCredits}</h2>
      <Pool usage={usage} />
      <p className="note">{texts.rateLimit(usage.rateLimit.requestsPerMinute)}</p>
    </section>
  )
}

function Packs() {
  const { packs } = readPricing()
  return (
    <section aria-labelledby="packs">
      <h2 id="packs">{texts.packs}</h2>
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
}
