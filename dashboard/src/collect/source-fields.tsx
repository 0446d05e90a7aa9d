import { useId } from 'react'
import type { PlatformName, PlatformStatus } from '../api/types.ts'
import { platformTitle } from '../shell/format.ts'
import { collectTexts as texts } from '../texts/collect.ts'

/** What was typed, by platform. */
export type SourceTexts = Readonly<Record<PlatformName, string>>

/** The sources of a text: between white space and commas, each once. */
const sourcesOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((source) => source !== ''))]

/** The sources of the chosen platforms, as a job names them; undefined without any. */
export function namedSources(typed: SourceTexts, chosen: readonly PlatformName[]) {
  const named = chosen
    .map((platform) => [platform, sourcesOf(typed[platform] ?? '')] as const)
    .filter(([, sources]) => sources.length > 0)
  return named.length === 0 ? undefined : Object.fromEntries(named)
}

interface SourceFieldsProps {
  platforms: readonly PlatformStatus[]
  chosen: readonly PlatformName[]
  typed: SourceTexts
  type: (typed: SourceTexts) => void
}

/** Narrows chosen platforms to sources of the account, such as repositories or forum categories. */
export function SourceFields({ platforms, chosen, typed, type }: SourceFieldsProps) {
  const id = useId()
  const narrowable = platforms.filter(({ platform, sources }) => sources !== null && chosen.includes(platform))
  if (narrowable.length === 0) return null
  return (
    <details className="source-fields" open={namedSources(typed, chosen) !== undefined || undefined}>
      <summary>{texts.ownSources}</summary>
      <p className="note">{texts.ownSourcesNote}</p>
      {narrowable.map(({ platform, sources }) => (
        <div key={platform} className="field wide">
          <label htmlFor={`${id}-${platform}`}>{texts.sourcesOf(platformTitle(platform))}</label>
          <input
            id={`${id}-${platform}`}
            dir="ltr"
            value={typed[platform] ?? ''}
            maxLength={3_000}
            placeholder={sources?.example}
            onChange={({ target }) => type({ ...typed, [platform]: target.value })}
          />
        </div>
      ))}
    </details>
  )
}
