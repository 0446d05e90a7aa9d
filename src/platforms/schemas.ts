import { Type } from 'typebox'
import { type PlatformName, platformErrorCodes } from '../database/column-types.ts'
import { named } from '../http/openapi-components.ts'
import { oneOf, openWord } from '../http/schemas.ts'
import { platformNames } from './registry.ts'

/** Any platform's name, enabled or not. */
export const anyPlatform = Type.Unsafe<PlatformName>({ type: 'string' })

export const platformErrorCode = { ...openWord(platformErrorCodes, 'Why'), ...named('PlatformErrorCode') }

/** A body's platforms: at least one, duplicates count once, disabled ones are skipped. */
export const platformList = (enabled: readonly PlatformName[], defaults: readonly PlatformName[]) =>
  Type.Array(oneOf(platformNames), {
    minItems: 1,
    maxItems: 100,
    description: `The platforms to scrape; without it ${defaults.join(', ')}. On are ${enabled.join(', ')}; others are skipped, and cost nothing`,
  })
