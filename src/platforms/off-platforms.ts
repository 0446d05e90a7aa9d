import type { PlatformErrorCode, PlatformName } from '../database/column-types.ts'
import { howToTurnOn } from './settings.ts'

/** The platforms of a call: every one that Wishwell knows may be named, but only those that the operator has on are asked. */
export interface ChosenPlatforms {
  on: PlatformName[]
  off: PlatformName[]
}

/** Splits what a call names, each once, in its order. */
export function choosePlatforms(named: readonly PlatformName[], enabled: readonly PlatformName[]): ChosenPlatforms {
  const { on = [], off = [] } = Object.groupBy(new Set(named), (name) => (enabled.includes(name) ? 'on' : 'off'))
  return { on, off }
}

/** Why nothing comes from a platform that is off, and what would change that. */
export const offError = (platform: PlatformName): { code: PlatformErrorCode; message: string } => ({
  code: 'not_configured',
  message: `The platform ${platform} is off. ${howToTurnOn(platform)}`,
})
