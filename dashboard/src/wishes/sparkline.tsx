import type { WishTrend } from '../api/types.ts'
import { wishTexts as texts } from '../texts/wishes.ts'

const [width, height] = [72, 20]
const weekMs = 7 * 86_400_000

/** The votes at the end of each week since they are measured: before that a level line would look like history. */
export function measuredVotes({ votes, measuredSince }: Pick<WishTrend, 'votes' | 'measuredSince'>): number[] {
  if (measuredSince === null) return []
  // A clock that is behind may have it in the future.
  const weeks = Math.max(0, Math.floor((Date.now() - Date.parse(measuredSince)) / weekMs))
  return votes.slice(-weeks - 1)
}

/** The line of the last weeks: a picture, so its first and last value stand in the text for those who do not see it. */
export function Sparkline({ trend }: { trend: WishTrend }) {
  const votes = measuredVotes(trend)
  if (votes.length < 2) return null
  const [least, most] = [Math.min(...votes), Math.max(...votes)]
  const range = Math.max(1, most - least)
  const step = (width - 2) / (trend.votes.length - 1)
  const points = votes.map((value, at) => {
    const x = width - 1 - (votes.length - 1 - at) * step
    const y = height - 2 - ((value - least) / range) * (height - 4)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={texts.trend(votes.length - 1, votes[0]!, votes.at(-1)!)}
    >
      <polyline className="unmeasured" points={`1,${height - 2} ${points[0]!.split(',')[0]},${height - 2}`} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}
