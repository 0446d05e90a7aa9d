import type { UsageRecord } from '../api/types.ts'
import { BarList } from '../charts/bar-list.tsx'
import { accountTexts as texts } from '../texts/account.ts'

/** What each key and each watch used this month, the most first. A run of a watch counts for the key that made it, too. */
export function Spenders({ usage: { spenders } }: { usage: UsageRecord }) {
  if (!spenders) return null
  const { keys, watches, withoutKey } = spenders
  const ofPage = withoutKey.held + withoutKey.settled
  const byKey = [
    ...keys.map(({ keyId, name, held, settled }) => ({ id: keyId, name, values: [held + settled] })),
    ...(ofPage > 0 ? [{ id: 'page', name: texts.ofPage, values: [ofPage] }] : []),
  ]
  if (byKey.length + watches.length === 0) return null
  return (
    <div className="chart-pair spenders">
      {byKey.length > 0 && <BarList title={texts.byKey} unit={texts.keyName} columns={[texts.credits]} bars={byKey} />}
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
  )
}
