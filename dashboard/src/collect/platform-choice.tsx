import { useId } from 'react'
import type { PlatformName, PlatformStatus } from '../api/types.ts'
import { inHowLong, platformTitle } from '../shell/format.ts'
import { collectTexts as texts } from '../texts/later/collect.ts'
import { troubleOf } from './platform-trouble.ts'

/** Whether a platform can be called: it is on and has its credentials. */
export const isSetUp = ({ state }: PlatformStatus): boolean => state !== 'off' && state !== 'not_configured'

interface PlatformChoiceProps {
  platforms: PlatformStatus[]
  chosen: PlatformName[]
  choose: (platforms: PlatformName[]) => void
  fault: string | null
}

/** The choice of platforms, each with its state and advice. */
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
        {[...platforms.filter(isSetUp), ...platforms.filter((status) => !isSetUp(status))].map((status) => (
          <div key={status.platform} className="platform-cell">
            <label className="platform-option">
              <input
                type="checkbox"
                aria-describedby={status.yield === null ? undefined : `${id}-${status.platform}`}
                disabled={!isSetUp(status)}
                checked={chosen.includes(status.platform)}
                onChange={() => toggle(status.platform)}
              />
              <span>
                <strong>{platformTitle(status.platform)}</strong>
                {/* Platforms that are off need the operator, so they are not shown here. */}
                <Readiness status={status.state === 'off' ? { ...status, advice: null } : status} />
              </span>
            </label>
            {status.yield !== null && (
              <span id={`${id}-${status.platform}`} className="note">
                {texts.gave(status.yield)}
              </span>
            )}
          </div>
        ))}
      </div>
      <p id={`${id}-fault`} className="fault" role="alert">
        {fault}
      </p>
    </fieldset>
  )
}

/** The state of a platform in a word, and advice. A platform whose last call failed is not shown as ready. */
export function Readiness({ status }: { status: PlatformStatus }) {
  const { state, resumesAt, advice } = status
  const trouble = state === 'ready' || state === 'waiting' ? troubleOf(status) : null
  const word =
    trouble === null ? texts.platformState[state] : trouble.isPartial ? texts.answersInPart : texts.notAnswering
  const said = advice ?? trouble?.message ?? null
  return (
    <span className="readiness">
      <span className={`badge ${trouble === null ? state : trouble.isPartial ? 'paused' : 'error'}`}>
        {word ?? state}
      </span>
      {resumesAt !== null && <span className="note">{texts.resumes(inHowLong(resumesAt))}</span>}
      {said !== null && <bdi className="note advice">{said}</bdi>}
    </span>
  )
}
