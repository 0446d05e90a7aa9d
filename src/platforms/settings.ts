import { type TProperties, Type } from 'typebox'
import type { PlatformName } from '../database/column-types.ts'
import type { Complain } from '../runtime/config-error.ts'
import { parseDuration } from '../runtime/duration.ts'
import { dayMs } from '../runtime/durations.ts'
import { commaList, isWebAddress, itemsOf, unknownItems } from './definition.ts'
import {
  defaultPlatformNames,
  definitionOf,
  openPlatformNames,
  platformDefinitions,
  platformNames,
} from './registry.ts'

/** Default of `RETENTION_DAYS`: the limits in the platforms' terms. */
const defaultRetention = platformDefinitions.flatMap(({ name, retentionDays }) =>
  retentionDays === undefined ? [] : [`${name}:${retentionDays}`],
)

const variablesOfAdapters: TProperties = Object.assign({}, ...platformDefinitions.map(({ variables }) => variables))

/** The platforms' environment variables: part of the schema in `config.ts`, which alone reads them. */
export const platformVariables = {
  PLATFORMS: commaList(defaultPlatformNames, `the platforms that are on, of ${platformNames.join(', ')}`),
  DEFAULT_PLATFORMS: Type.Optional(
    Type.String({
      description:
        'comma list: the platforms of a call that names none; by default those of `PLATFORMS` that need no credentials, or all of them if each needs some',
    }),
  ),
  RETENTION_DAYS: Type.String({
    default: defaultRetention.join(','),
    description:
      'comma list: how long requests of a platform are stored after their last refresh, in whole days; `none` for ever, as for platforms that neither you nor the default names',
  }),
  ...variablesOfAdapters,
}

export type PlatformEnvironment = Record<string, string | undefined>

/** How an operator enables a platform. */
export function howToTurnOn(platform: PlatformName): string {
  const { required = [] } = definitionOf(platform)
  const credentials = required.length === 0 ? '' : ` and set ${required.join(' and ')}`
  return `Add ${platform} to PLATFORMS${credentials} (docs/platforms/${platform}.md).`
}

export interface PlatformsConfig {
  enabled: PlatformName[]
  defaults: PlatformName[]
  /** Required but unset variables of each enabled platform. */
  missing: ReadonlyMap<PlatformName, readonly string[]>
  /** Days to store requests after their last refresh, also of disabled platforms; without an entry, forever. */
  retention: ReadonlyMap<PlatformName, number>
  environment: PlatformEnvironment
}

/** Reads the platforms' variables. @param complain called with the first invalid variable */
export function readPlatformsConfig(environment: PlatformEnvironment, complain: Complain): PlatformsConfig {
  checkKinds(environment, complain)
  const enabled = parseNames('PLATFORMS', environment.PLATFORMS, platformNames, complain)
  const open = enabled.filter((name) => openPlatformNames.includes(name))
  // If only platforms with credentials are enabled, the operator chose them.
  const fallback = open.length > 0 ? open : enabled
  const missingOf = (platform: PlatformName) =>
    (definitionOf(platform).required ?? []).filter((variable) => environment[variable] === undefined)
  return {
    enabled,
    defaults: parseNames('DEFAULT_PLATFORMS', environment.DEFAULT_PLATFORMS ?? fallback.join(','), enabled, complain),
    missing: new Map(enabled.map((name) => [name, missingOf(name)])),
    retention: parseRetention(environment.RETENTION_DAYS, complain),
    environment: Object.fromEntries(Object.keys(variablesOfAdapters).map((name) => [name, environment[name]])),
  }
}

const addressRule = 'an http or https address without a name and a password'

function checkKinds(environment: PlatformEnvironment, complain: Complain): void {
  for (const [variable, schema] of Object.entries(platformVariables)) {
    // Without value and default, the variable is optional.
    if (environment[variable] === undefined) continue
    const kind = (schema as { 'x-kind'?: string })['x-kind']
    const items = itemsOf(environment[variable])
    if (kind === 'web address' && !isWebAddress(environment[variable])) complain(variable, `must be ${addressRule}.`)
    if (kind?.endsWith('list') && items.length === 0) complain(variable, 'name at least one.')
    if (kind === 'web address list' && !items.every(isWebAddress))
      complain(variable, `must be a list, each ${addressRule}.`)
    const sources = platformDefinitions.find(({ variables }) => variable in variables)?.sources
    if (kind === 'source list' && !items.every((item) => sources?.normalise(item)))
      complain(variable, `must be like ${sources?.example}: ${sources?.form}.`)
  }
}

function parseNames(
  variable: string,
  text: string | undefined,
  allowed: readonly PlatformName[],
  complain: Complain,
): PlatformName[] {
  const names = itemsOf(text)
  const unknown = unknownItems(names, allowed)
  if (names.length === 0) complain(variable, `name at least one platform of ${allowed.join(', ')}.`)
  if (unknown !== null) complain(variable, unknown)
  return names
}

/** Whole days from 1 to 9999, Infinity for `none`; null for other text. */
function parseDays(text: string): number | null {
  if (text === 'none') return Number.POSITIVE_INFINITY
  const days = (parseDuration(text, 'd') ?? 0) / dayMs
  return Number.isInteger(days) && days >= 1 && days <= 9_999 ? days : null
}

/** Parses `youtube:30,x:none`. A platform not named keeps its default, so omitting it never extends its retention. */
function parseRetention(text: string | undefined, complain: Complain): ReadonlyMap<PlatformName, number> {
  const days = new Map<PlatformName, number>()
  for (const item of [...defaultRetention, ...itemsOf(text)]) {
    const [, platform = '', length = ''] = /^([a-z]+)\s*:\s*(\w+)$/.exec(item) ?? []
    const wanted = parseDays(length)
    if (wanted === null || !platformNames.includes(platform)) {
      return complain(
        'RETENTION_DAYS',
        `must be like youtube:30d,x:none: a platform of ${platformNames.join(', ')}, whole days from 1 to 9999.`,
      )
    }
    if (wanted === Number.POSITIVE_INFINITY) days.delete(platform)
    else days.set(platform, wanted)
  }
  const names = itemsOf(text).map((item) => item.split(':')[0])
  if (new Set(names).size !== names.length) complain('RETENTION_DAYS', 'name every platform once.')
  return days
}
