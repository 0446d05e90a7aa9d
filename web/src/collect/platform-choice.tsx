import { useId } from 'react'
import type { PlatformName, PlatformStatus } from '../api/types.ts'
import { ago, platformTitle } from '../shell/format.ts'
import { collectTexts as texts } from '../texts/collect.ts'

interface PlatformChoiceProps {
  platforms: PlatformStatus[]
  chosen: PlatformName[]
  choose: (platforms: PlatformName[]) => void
  fault: string | null
}

/** Which platforms are asked: each with how it is, and with what to do about it. */
export function PlatformChoice({ platforms, chosen, choose, fault }: PlatformChoiceProps) {
  const id = useId()
  const toggle = (platform: PlatformName) =>
    choose(
      platforms
        .map((status) => status.platform)
        .filter((name) => (name === platform ? !chosen.includes(name) : chosen.includes(name))),
    )
  return (
    <fieldset className="platform-choice" aria-describedby={`${id}-fault`}>
      <legend>{texts.platforms}</legend>
      <div className="platform-grid">
        {platforms.map((status) => (
          <label key={status.platform} className="platform-option">
            <input
              type="checkbox"
              checked={chosen.includes(status.platform)}
              onChange={() => toggle(status.platform)}
            />
            <span>
              <strong>{platformTitle(status.platform)}</strong>
              <Readiness status={status} />
            </span>
          </label>
        ))}
      </div>
      <p id={`${id}-fault`} className="fault" role="alert">
        {fault}
      </p>
    </fieldset>
  )
}

/** How a platform is, in a word, and what to do. */
export const Readiness = ({ status: { state, resumesAt, advice } }: { status: PlatformStatus }) => (
  <span className="readiness">
    <span className={`badge ${state}`}>{texts.platformState[state]}</span>
    {resumesAt !== null && <span className="note">{texts.resumes(ago(resumesAt))}</span>}
    {advice !== null && <bdi className="note advice">{advice}</bdi>}
  </span>
)
