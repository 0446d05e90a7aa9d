import { useId } from 'react'
import { collectTexts as texts } from '../texts/later/collect.ts'

export const maxDepth = 40

/** How many pages of each platform are read. */
export function DepthField({ depth, setDepth }: { depth: number; setDepth: (depth: number) => void }) {
  const id = useId()
  return (
    <div className="field depth">
      <label htmlFor={id}>{texts.depth}</label>
      <input
        id={id}
        type="range"
        min={1}
        max={maxDepth}
        value={depth}
        aria-valuetext={texts.pages(depth)}
        onChange={(event) => setDepth(Number(event.target.value))}
      />
      <output htmlFor={id}>{texts.pages(depth)}</output>
    </div>
  )
}
