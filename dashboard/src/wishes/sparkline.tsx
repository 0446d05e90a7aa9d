import { wishTexts as texts } from '../texts/wishes.ts'

const [width, height] = [72, 20]

/** The line of the last weeks: a picture, so its first and last value stand in the text for those who do not see it. */
export function Sparkline({ votes }: { votes: readonly number[] }) {
  const [least, most] = [Math.min(...votes), Math.max(...votes)]
  const range = Math.max(1, most - least)
  const points = votes.map((value, at) => {
    const x = (at / Math.max(1, votes.length - 1)) * (width - 2) + 1
    const y = height - 2 - ((value - least) / range) * (height - 4)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={texts.trend(votes[0] ?? 0, votes.at(-1) ?? 0)}
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
