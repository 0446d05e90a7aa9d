import type { PlatformErrorCode, PlatformName } from '../database/column-types.ts'
import { howToTurnOn } from './settings.ts'

/** The platforms a call names: any of Wishwell's, but only enabled ones are queried. */
export interface ChosenPlatforms {
  on: PlatformName[]
  off: PlatformName[]
}

/** Splits the named platforms, without duplicates, in order. */
export function choosePlatforms(named: readonly PlatformName[], enabled: readonly PlatformName[]): ChosenPlatforms {
  const { on = [], off = [] } = Object.groupBy(new Set(named), (name) => (enabled.includes(name) ? 'on' : 'off'))
  return { on, off }
}

/** A disabled platform's error, which says how to enable it. */
export const offError = (platform: PlatformName): { code: PlatformErrorCode; message: string } => ({
  code: 'not_configured',
  message: `The platform ${platform} is off. ${howToTurnOn(platform)}`,
})
