import { useState } from 'react'
import { monthOf, monthPeriod, weekOf, weekPeriod } from '../../../src/accounts/period.ts'
import type { PeriodSpending, UsageQuery } from '../api/types.ts'
import { BarList } from '../charts/bar-list.tsx'
import { Problem } from '../shell/problem.tsx'
import { accountTexts as texts } from '../texts/later/account.ts'
import { Collections } from './collections.tsx'
import { useSpending } from './use-usage.ts'

type Choice = keyof typeof texts.periods
const choices = Object.keys(texts.periods) as Choice[]

/** The name of a chosen period, in UTC. */
function nameOf(choice: Choice, now: Date): UsageQuery {
  const month = monthOf(now)
  const week = weekOf(now)
  const before = ({ from }: { from: Date }) => new Date(from.getTime() - 1)
  if (choice === 'thisMonth') return { month }
  if (choice === 'lastMonth') return { month: monthOf(before(monthPeriod(month))) }
  return { week: choice === 'thisWeek' ? week : weekOf(before(weekPeriod(week)!)) }
}

/** What each key and each watch used in a month or a week, the most first. */
export function Spenders() {
  const [choice, setChoice] = useState<Choice>('thisWeek')
  const { data, error, refetch, isPlaceholderData } = useSpending(nameOf(choice, new Date()))
  return (
    <section aria-labelledby="spenders" aria-busy={isPlaceholderData}>
      <h2 id="spenders">{texts.spenders}</h2>
      <label>
        <span>{texts.period}</span>{' '}
        <select value={choice} onChange={({ target }) => setChoice(target.value as Choice)}>
          {choices.map((one) => (
            <option key={one} value={one}>
              {texts.periods[one]}
            </option>
          ))}
        </select>
      </label>
      {error !== null && <Problem error={error} retry={refetch} />}
      {data && <Bars spending={data} />}
      <Collections period={nameOf(choice, new Date())} />
    </section>
  )
}

/** A run of a watch counts for the key that made the watch, too. */
function Bars({ spending: { total, keys, watches, withoutKey, from, until } }: { spending: PeriodSpending }) {
  const ofPage = withoutKey.held + withoutKey.settled
  const byKey = [
    ...keys.map(({ keyId, name, held, settled }) => ({ id: keyId, name, values: [held + settled] })),
    ...(ofPage > 0 ? [{ id: 'page', name: texts.ofPage, values: [ofPage] }] : []),
  ]
  return (
    <>
      <p className="note" role="status">
        {texts.usedIn(total.held + total.settled, from, until)}
      </p>
      <div className="chart-pair spenders">
        {byKey.length > 0 && (
          <BarList title={texts.byKey} unit={texts.keyName} columns={[texts.credits]} bars={byKey} />
        )}
        {watches.length > 0 && (
          <BarList
            title={texts.byWatch}
            unit={texts.watch}
            columns={[texts.credits]}
            bars={watches.map(({ watchId, name, held, settled }) => ({
              id: watchId,
              name: name ?? texts.goneWatch,
              values: [held + settled],
            }))}
          />
        )}
      </div>
    </>
  )
}
