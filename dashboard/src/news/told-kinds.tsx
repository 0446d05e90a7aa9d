import type { NewsKind } from '../api/types.ts'
import { newsTexts as texts } from '../texts/later/news.ts'

export const newsKinds = ['new', 'grown', 'rising', 'completed', 'declined'] as const satisfies NewsKind[]

export const nameOfKind = (kind: NewsKind): string => texts.kinds[kind === 'new' ? 'newWishes' : kind]

interface ToldKindsProps {
  muted: NewsKind[]
  change: (muted: NewsKind[]) => void
}

/** The kinds of news that are told; what is not checked is muted. */
export const ToldKinds = ({ muted, change }: ToldKindsProps) => (
  <fieldset>
    <legend>{texts.toldKinds}</legend>
    <div className="choices">
      {newsKinds.map((kind) => (
        <label key={kind} className="choice">
          <input
            type="checkbox"
            checked={!muted.includes(kind)}
            onChange={({ target }) => change(target.checked ? muted.filter((one) => one !== kind) : [...muted, kind])}
          />
          <span>{nameOfKind(kind)}</span>
        </label>
      ))}
    </div>
  </fieldset>
)
