import { useEffect, useId, useState } from 'react'
import { ApiError } from '../api/client.ts'
import type { PlatformName, PlatformStatus } from '../api/types.ts'
import { sourcesParameter } from '../shell/addresses.ts'
import { platformTitle } from '../shell/format.ts'
import { collectTexts as texts } from '../texts/later/collect.ts'

/** What was typed, by platform. */
export type SourceTexts = Readonly<Record<string, string>>
/** Sources by platform, as a job names them. */
export type NamedSources = Record<string, string[]>

const maxTextLength = 3_000

/** What an earlier job named: it is in the parameters of the address. */
export const sourcesAtFirst = (platforms: readonly PlatformStatus[], prefilled: URLSearchParams): SourceTexts =>
  Object.fromEntries(
    platforms
      .filter(({ sources }) => sources !== null)
      .map(({ platform }) => [platform, (prefilled.get(sourcesParameter(platform)) ?? '').slice(0, maxTextLength)]),
  )

/** The sources of a text, each once. A comma separates them: a label may contain spaces. */
const sourcesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,\n]/)
      .map((source) => source.trim())
      .filter((source) => source !== ''),
  ),
]

/** The sources of the chosen platforms, as a job names them; undefined without any. */
export function namedSources(typed: SourceTexts, chosen: readonly PlatformName[]): NamedSources | undefined {
  const named = chosen
    .map((platform): [string, string[]] => [platform, sourcesOf(typed[platform] ?? '')])
    .filter(([, sources]) => sources.length > 0)
  return named.length === 0 ? undefined : Object.fromEntries(named)
}

/** Why sources were refused, by platform: `details` says which of them, such as `sources.github[0]`. */
function faultsOf(error: unknown, sent: NamedSources | undefined): ReadonlyMap<string, string> {
  const details = (error instanceof ApiError && error.body?.details) || []
  const faults = new Map<string, string>()
  for (const { path, message } of details) {
    const [, platform = '', index] = /^sources\.([a-z]+)(?:\[(\d+)\])?$/.exec(path) ?? []
    const sources = sent?.[platform]
    if (sources === undefined) continue
    const source = index === undefined ? undefined : sources[Number(index)]
    faults.set(platform, source === undefined ? message : texts.sourceFault(source, message))
  }
  return faults
}

/** Whether a job was refused for its sources: then the fields say why. */
export const isAboutSources = (error: unknown, sent: NamedSources | undefined) => faultsOf(error, sent).size > 0

interface SourceFieldsProps {
  platforms: readonly PlatformStatus[]
  chosen: readonly PlatformName[]
  typed: SourceTexts
  type: (typed: SourceTexts) => void
  /** The error of the last try to start a job, and the sources of that job. */
  refusal: unknown
  sent: NamedSources | undefined
}

/** Narrows chosen platforms to sources that the account names, such as repositories or forum categories. */
export function SourceFields({ platforms, chosen, typed, type, refusal, sent }: SourceFieldsProps) {
  const id = useId()
  const named = namedSources(typed, chosen)
  const [isOpen, setOpen] = useState(named !== undefined)
  // Shown until the sources change.
  const faults = faultsOf(refusal, JSON.stringify(named) === JSON.stringify(sent) ? sent : undefined)
  const [refused] = faults.keys()
  const refusedId = refused === undefined ? null : `${id}-${refused}`
  useEffect(() => {
    if (refusedId !== null) setOpen(true)
  }, [refusedId])
  useEffect(() => {
    if (isOpen && refusedId !== null) document.getElementById(refusedId)?.focus()
  }, [isOpen, refusedId])
  return (
    <details className="source-fields" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.ownSources}</summary>
      <p className="note">{texts.ownSourcesNote}</p>
      {isOpen &&
        platforms
          .filter(({ platform, sources }) => sources !== null && chosen.includes(platform))
          .map((status) => (
            <SourceField
              key={status.platform}
              id={`${id}-${status.platform}`}
              status={status}
              text={typed[status.platform] ?? ''}
              type={(text) => type({ ...typed, [status.platform]: text })}
              fault={faults.get(status.platform)}
            />
          ))}
    </details>
  )
}

interface SourceFieldProps {
  id: string
  status: PlatformStatus
  text: string
  type: (text: string) => void
  fault: string | undefined
}

const SourceField = ({ id, status: { platform, sources }, text, type, fault }: SourceFieldProps) => (
  <div className="field">
    <label htmlFor={id}>{texts.sourcesOf(platformTitle(platform))}</label>
    <input
      id={id}
      dir="ltr"
      spellCheck={false}
      autoCapitalize="none"
      value={text}
      maxLength={maxTextLength}
      aria-invalid={fault !== undefined}
      aria-describedby={`${id}-form ${id}-fault`}
      onChange={({ target }) => type(target.value)}
    />
    <p id={`${id}-form`} className="note">
      {sources && fault === undefined && texts.sourceForm(sources.form, sources.example)}
    </p>
    <p id={`${id}-fault`} className="fault" role="alert">
      <bdi>{fault}</bdi>
    </p>
  </div>
)
