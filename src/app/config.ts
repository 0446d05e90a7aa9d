import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { type OidcConfig, oidcVariables, readOidcConfig } from '../accounts/oidc/settings.ts'
import { type AccountConfig, accountVariables, readAccountConfig, requestLimitsOf } from '../accounts/settings.ts'
import { type ExpansionConfig, expansionConfig } from '../collecting/expansion/settings.ts'
import { type LiveConfig, liveVariables, readLiveConfig } from '../collecting/live/settings.ts'
import { type JobConfig, jobVariables, readJobConfig } from '../collecting/scraping/settings.ts'
import { type DatabaseConfig, databaseVariables, readDatabaseConfig } from '../database/settings.ts'
import { builtPage } from '../http/dashboard/built-page.ts'
import { type NetworkConfig, networkVariables, readNetworkConfig } from '../http/outbound/settings.ts'
import type { RequestLimits } from '../http/rate-limits/rate-limits.ts'
import { readSecretsConfig, type SecretsConfig, secretsVariables } from '../http/secrets/secrets-key.ts'
import { addressVariables, type HttpConfig, proxyVariables, readHttpConfig } from '../http/settings.ts'
import { modelVariables, readModelConfig } from '../model/settings.ts'
import { type ChannelsConfig, channelVariables, readChannelsConfig } from '../notifications/channels/settings.ts'
import { type MailSettings, mailVariables, readMailConfig } from '../notifications/mail/settings.ts'
import { type MetricsConfig, metricsVariables, readMetricsConfig } from '../operations/metrics/settings.ts'
import {
  type PlatformEnvironment,
  type PlatformsConfig,
  platformVariables,
  readPlatformsConfig,
} from '../platforms/settings.ts'
import { readSourcesConfig, type SourcesConfig, sourceVariables } from '../platforms/sources/settings.ts'
import {
  type JudgingConfig,
  judgingVariables,
  notSentToModels,
  readJudgingConfig,
} from '../requests/judging/settings.ts'
import { type RefreshConfig, readRefreshConfig, refreshVariables } from '../requests/refreshing/settings.ts'
import { ConfigError } from '../runtime/config-error.ts'
import { durationKeyword } from '../runtime/duration.ts'
import { parseRemovalContact, type RemovalContact } from '../runtime/removal-contact.ts'
import { readSearchConfig, type SearchConfig, searchVariables } from '../search/settings.ts'
import { type NewsJudgingConfig, newsVariables, readNewsConfig } from '../watches/news/settings.ts'
import { isReadByAll, readConfigFile, readNamedFile } from './config-file.ts'

const fileVariable = {
  CONFIG_FILE: Type.Optional(
    Type.String({
      description:
        'a file with these settings, in lines `NAME=value`; a variable of the environment wins over its line',
    }),
  ),
}

const roleVariable = {
  ROLE: Type.Union([Type.Literal('all'), Type.Literal('api'), Type.Literal('worker')], {
    default: 'all',
    description: '`all`, `api` or `worker`; other than `all` only with `DATABASE_URL`',
  }),
}

const logVariables = {
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    {
      default: 'info',
      description: 'how much is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    },
  ),
  LOG_FORMAT: Type.Union(
    ['auto', 'json', 'text'].map((format) => Type.Literal(format)),
    {
      default: 'auto',
      description:
        'format of the log on stderr: `json`, `text` (short lines for people; of the calls only slow and failed ones) or `auto`, which is text on a terminal',
    },
  ),
}

/**
 * Every environment variable that Wishwell reads; `npm run docs` makes `docs/configuration.md` from it, in this order.
 * Rooms declare and interpret their own in their `settings.ts`.
 */
export const environmentSchema = Type.Object({
  ...fileVariable,
  ...addressVariables,
  ...databaseVariables,
  ...roleVariable,
  ...searchVariables,
  ...logVariables,
  ...accountVariables,
  ...oidcVariables,
  ...proxyVariables,
  ...networkVariables,
  REMOVAL_CONTACT: Type.Optional(
    Type.String({
      description:
        'e-mail or web address for authors who ask for removal or a copy of a post: shown in the dashboard, and sent to the platforms in `User-Agent`',
    }),
  ),
  ...jobVariables,
  ...liveVariables,
  ...sourceVariables,
  ...platformVariables,
  ...refreshVariables,
  ...modelVariables,
  ...judgingVariables,
  ...newsVariables,
  ...mailVariables,
  ...metricsVariables,
  ...secretsVariables,
  ...channelVariables,
})

export type LogFormat = 'auto' | 'json' | 'text'

type Environment = Static<typeof environmentSchema>

/** The whole configuration, parsed once. Nothing else reads the environment. */
export interface Config
  extends HttpConfig,
    NetworkConfig,
    DatabaseConfig,
    AccountConfig,
    JobConfig,
    LiveConfig,
    RefreshConfig,
    SearchConfig,
    MailSettings,
    MetricsConfig,
    SecretsConfig {
  /** The provider whose tokens open `/mcp`; null for none. */
  oidc: OidcConfig | null
  role: Environment['ROLE']
  logLevel: string
  logFormat: LogFormat
  removalContact: RemovalContact | undefined
  platforms: PlatformsConfig
  sources: SourcesConfig
  expansion: ExpansionConfig
  /** Null if no texts are judged. */
  judging: JudgingConfig | null
  /** Null if news are not compared with goals. */
  news: NewsJudgingConfig | null
  channels: ChannelsConfig
  // No variables; changed by tests and benches.
  requestLimits: RequestLimits
  pageDirectory: string
  /** Whether answers are cached while nothing changes; off in benches that measure the work behind them. */
  cachesResponses: boolean
  /** The limit of a stop. What is unfinished then is left to the next start, as after a crash. */
  stopLimitMs: number
}

const stopLimitMs = 30_000

function complain(variable: string, what: string): never {
  throw new ConfigError(`${variable}: ${what}`)
}

function readRemovalContact({ REMOVAL_CONTACT: text }: Environment): RemovalContact | undefined {
  const contact = text === undefined ? undefined : parseRemovalContact(text)
  if (contact !== null) return contact
  return complain(
    'REMOVAL_CONTACT',
    'must be an e-mail address, or an http or https address without a name and a password.',
  )
}

// Environment values are text; Ajv converts numbers and booleans, and fills in defaults.
const ajv = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: true })
  .addVocabulary(['x-kind'])
  .addKeyword(durationKeyword)
const validate = ajv.compile<Environment>(environmentSchema)

/** The secret variables. Variables with `_FILE` can name files for them, as container platforms mount them. */
export const secretVariables: readonly string[] = Object.entries(environmentSchema.properties).flatMap(
  ([name, schema]) => ((schema as { 'x-kind'?: string })['x-kind'] === 'secret' ? [name] : []),
)

/** Every setting except the configuration file itself. */
const settingNames = Object.keys(environmentSchema.properties).filter((name) => !(name in fileVariable))

type Source = Readonly<Record<string, string | undefined>>

/** A setting in one source; undefined if absent or empty. @throws ConfigError for a doubled or unusable secret */
function settingOf(source: Source, name: string): string | undefined {
  // Like other programs, read proxy variables in lower case first.
  const lower = name in networkVariables ? source[name.toLowerCase()]?.trim() : undefined
  const value = lower || source[name]?.trim() || undefined
  const file = secretVariables.includes(name) ? source[`${name}_FILE`]?.trim() : undefined
  if (!file) return value
  if (value !== undefined) complain(name, `is given, and ${name}_FILE, too.`)
  return readNamedFile(`${name}_FILE`, file)
}

/** @throws ConfigError for unknown names in the configuration file, or secrets in one that everyone can read. */
function checkConfigFile(file: Source, path: string): void {
  const known = new Set([...settingNames, ...secretVariables.map((name) => `${name}_FILE`)])
  const unknown = Object.keys(file)
    .filter((name) => !known.has(name))
    // A secret on its own line may look like an assignment.
    .map((name) => (/^[a-z_]{1,40}$/i.test(name) ? name : 'a name that is not shown'))
  if (unknown.length > 0) complain('CONFIG_FILE', `has what is no setting: ${unknown.join(', ')}.`)
  const isSecret = (name: string) => secretVariables.includes(name) && (file[name]?.trim() ?? '') !== ''
  // Proxies, clusters and sources may have a password or token in their address, with or without a scheme.
  const hasPassword = (value = '') => /\/\/[^/?#\s@]+@|(?:^|[\s,])[^/\s,@:]*:[^/\s,@]+@/.test(value)
  const secrets = Object.keys(file).filter((name) => isSecret(name) || hasPassword(file[name]))
  if (secrets.length === 0 || !isReadByAll(path)) return
  complain(
    'CONFIG_FILE',
    `every user of this machine can read it, and it holds ${secrets.join(', ')}: take that right away (chmod o-r)${secrets.some(isSecret) ? `, or name files instead, such as ${secrets.find(isSecret)}_FILE` : ''}.`,
  )
}

/** The settings of environment (which wins) and `CONFIG_FILE`. @throws ConfigError for a bad file or doubled secret */
export function settingsIn(environment: Source): Record<string, string> {
  const file = readConfigFile(environment)
  checkConfigFile(file, environment.CONFIG_FILE?.trim() ?? '')
  return Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = settingOf(environment, name) ?? settingOf(file, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function parseEnvironment(source: Source): Environment {
  const environment: unknown = settingsIn(source)
  if (validate(environment)) return environment
  const lines = (validate.errors ?? []).map((error) => {
    const variable = error.instancePath.slice(1).split('/')[0] ?? ''
    const property = environmentSchema.properties[variable as keyof Environment] as { description?: string } | undefined
    return `${variable}: ${error.message} (${property?.description})`
  })
  throw new ConfigError([...new Map(lines.map((line) => [line.split(':')[0], line])).values()].join('\n'))
}

/** Reads the configuration. @throws ConfigError that names the variable and what it should be, never its value. */
export function readConfig(source: Source = process.env): Config {
  const environment = parseEnvironment(source)
  const { DATABASE_URL: databaseUrl, ROLE: role } = environment
  if (databaseUrl === undefined && role !== 'all') {
    complain('ROLE', `${role} needs DATABASE_URL; the embedded database belongs to one process.`)
  }
  const accounts = readAccountConfig(environment, complain)
  const live = readLiveConfig(environment)
  const network = readNetworkConfig(environment, complain)
  const model = readModelConfig(environment, complain, network.proxies)
  return {
    ...readHttpConfig(environment, complain),
    ...network,
    ...readDatabaseConfig(environment, complain),
    ...accounts,
    ...readJobConfig(environment),
    ...readSearchConfig(environment, complain),
    ...readRefreshConfig(environment),
    ...live,
    ...readMailConfig(environment, complain),
    ...readMetricsConfig(environment, complain),
    ...readSecretsConfig(environment, complain),
    oidc: readOidcConfig(environment, complain),
    role,
    logLevel: environment.LOG_LEVEL,
    logFormat: environment.LOG_FORMAT as LogFormat,
    removalContact: readRemovalContact(environment),
    platforms: readPlatformsConfig(environment as unknown as PlatformEnvironment, complain),
    expansion: expansionConfig(model, live.liveDeadlineMs),
    judging: readJudgingConfig(environment, complain, model),
    news: readNewsConfig(environment, model, notSentToModels(environment)),
    sources: readSourcesConfig(environment),
    channels: readChannelsConfig(environment, complain),
    requestLimits: requestLimitsOf(accounts.pricing),
    pageDirectory: builtPage,
    cachesResponses: true,
    stopLimitMs,
  }
}
