import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { type Proxies, parseProxies } from './http/proxies.ts'
import type { PlatformName } from './platforms/platform.ts'
import { platformNames } from './platforms/platform.ts'

const list = (items: string) =>
  items
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const url = (fallback: string, meaning: string) =>
  Type.String({ pattern: '^https?://[^\\s]+$', default: fallback, description: meaning })

const secret = (meaning: string) => Type.Optional(Type.String({ minLength: 1, description: meaning }))

/** Every environment variable that Wishwell reads: its type, default and meaning. README's table is made from it. */
export const environmentSchema = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'the address it listens on' }),
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 4680,
    description: 'the port it listens on; 0 picks a free one',
  }),
  DATA_DIR: Type.String({
    minLength: 1,
    default: './data',
    description: 'the embedded database, its lock and the admin key',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'a Postgres 15 or later instead of the embedded database',
    }),
  ),
  ROLE: Type.Union([Type.Literal('all'), Type.Literal('api'), Type.Literal('worker')], {
    default: 'all',
    description: '`all`, `api` or `worker`; other than `all` only with `DATABASE_URL`',
  }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    {
      default: 'info',
      description: 'how much is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    },
  ),
  BOOTSTRAP_API_KEY: secret(
    "the first account's API key (`ww_live_` and 32 of a-z, 0-9); without it one is made and printed once",
  ),
  BOOTSTRAP_TIER: Type.Union([Type.Literal('free'), Type.Literal('pro'), Type.Literal('max')], {
    default: 'max',
    description: "the first account's plan: `free`, `pro` or `max`",
  }),
  ADMIN_API_KEY: secret(
    'opens the admin routes; made and kept in `DATA_DIR/admin-key` (0600) when absent, required with `DATABASE_URL`',
  ),
  TRUST_PROXY: Type.Optional(
    Type.String({
      description:
        'the proxies in front whose `X-Forwarded-For` counts: a comma list of addresses and networks (`10.0.0.0/8`), or their number where nobody can reach the service past them',
    }),
  ),
  PLATFORMS: Type.String({ default: platformNames.join(','), description: 'comma list: the platforms that are on' }),
  DEFAULT_PLATFORMS: Type.Optional(
    Type.String({ description: 'comma list: the platforms of a call that names none; by default all that are on' }),
  ),
  GITHUB_API_URL: url('https://api.github.com', 'base address of the GitHub REST API'),
  GITHUB_TOKEN: secret('a GitHub token: 30 searches a minute instead of 10'),
  HACKERNEWS_API_URL: url('https://hn.algolia.com/api/v1', 'base address of the Hacker News search API'),
  STACKEXCHANGE_API_URL: url('https://api.stackexchange.com/2.3', 'base address of the Stack Exchange API'),
  STACKEXCHANGE_API_KEY: secret('a Stack Exchange key: 10,000 calls a day instead of 300'),
  STACKEXCHANGE_SITES: Type.String({
    default: 'meta,meta.stackoverflow,softwarerecs',
    description: 'comma list: the sites that are searched, a page of one at a time',
  }),
})

type Environment = Static<typeof environmentSchema>

/** The whole configuration, parsed once. Nothing else reads the environment. */
export interface Config {
  host: string
  port: number
  dataDir: string
  databaseUrl: string | undefined
  role: Environment['ROLE']
  logLevel: string
  bootstrapApiKey: string | undefined
  bootstrapTier: Environment['BOOTSTRAP_TIER']
  adminApiKey: string | undefined
  trustProxy: Proxies | undefined
  platforms: {
    enabled: PlatformName[]
    defaults: PlatformName[]
    githubApiUrl: string
    githubToken: string | undefined
    hackernewsApiUrl: string
    stackexchangeApiUrl: string
    stackexchangeApiKey: string | undefined
    stackexchangeSites: string[]
  }
}

/** What is wrong with the environment, a line for each variable. Never holds a value, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** An API key: the prefix that makes a leaked one recognisable, and 32 characters (165 bits) of randomness. */
export const apiKeyPattern = /^ww_live_[a-z0-9]{32}$/

function parsePlatforms(variable: string, text: string, allowed: readonly string[]): PlatformName[] {
  const names = [...new Set(list(text))]
  const unknown = names.filter((name) => !allowed.includes(name))
  if (names.length === 0) throw new ConfigError(`${variable}: name at least one platform of ${allowed.join(', ')}.`)
  if (unknown.length > 0) {
    throw new ConfigError(`${variable}: ${unknown.join(', ')} is not one of ${allowed.join(', ')}.`)
  }
  return names as PlatformName[]
}

function parseTrustProxy(text: string | undefined): Proxies | undefined {
  const proxies = text === undefined ? undefined : parseProxies(text)
  if (proxies === null) {
    throw new ConfigError(
      'TRUST_PROXY: must be addresses and networks such as 127.0.0.1,10.0.0.0/8, or a number of proxies from 1 to 99.',
    )
  }
  return proxies
}

function checkTogether(environment: Environment): void {
  if (environment.BOOTSTRAP_API_KEY !== undefined && !apiKeyPattern.test(environment.BOOTSTRAP_API_KEY)) {
    throw new ConfigError('BOOTSTRAP_API_KEY: must be ww_live_ followed by 32 characters of a-z and 0-9.')
  }
  // What no Authorization header can hold would open nothing.
  if (environment.ADMIN_API_KEY !== undefined && !/^[\x21-\x7e]{16,}$/.test(environment.ADMIN_API_KEY)) {
    throw new ConfigError('ADMIN_API_KEY: must have 16 characters or more, ASCII and no spaces.')
  }
  for (const variable of ['GITHUB_API_URL', 'HACKERNEWS_API_URL', 'STACKEXCHANGE_API_URL'] as const) {
    if (!URL.canParse(environment[variable])) throw new ConfigError(`${variable}: is not a web address.`)
  }
  if (list(environment.STACKEXCHANGE_SITES).length === 0)
    throw new ConfigError('STACKEXCHANGE_SITES: name at least one.')
  if (environment.DATABASE_URL === undefined && environment.ROLE !== 'all') {
    throw new ConfigError(`ROLE: ${environment.ROLE} needs DATABASE_URL; the embedded database belongs to one process.`)
  }
}

// Everything in the environment is text; numbers are read from it, and defaults filled in.
const ajv = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: true })
const validate = ajv.compile<Environment>(environmentSchema)

function parseEnvironment(source: Record<string, string | undefined>): Environment {
  // An empty variable counts as absent: compose files and shells set them so.
  const present = Object.fromEntries(
    Object.keys(environmentSchema.properties)
      .filter((name) => source[name] !== undefined && source[name].trim() !== '')
      .map((name) => [name, source[name]?.trim()]),
  )
  const environment: unknown = present
  if (validate(environment)) return environment
  const lines = (validate.errors ?? []).map((error) => {
    const variable = error.instancePath.slice(1).split('/')[0] ?? ''
    const property = environmentSchema.properties[variable as keyof Environment] as { description?: string } | undefined
    return `${variable}: ${error.message} (${property?.description})`
  })
  throw new ConfigError([...new Map(lines.map((line) => [line.split(':')[0], line])).values()].join('\n'))
}

/**
 * Reads the configuration from environment variables.
 * @throws ConfigError that says which variable is wrong and what it should be, never what it held.
 */
export function readConfig(source: Record<string, string | undefined> = process.env): Config {
  const environment = parseEnvironment(source)
  checkTogether(environment)
  const enabled = parsePlatforms('PLATFORMS', environment.PLATFORMS, platformNames)
  return {
    host: environment.HOST,
    port: environment.PORT,
    dataDir: environment.DATA_DIR,
    databaseUrl: environment.DATABASE_URL,
    role: environment.ROLE,
    logLevel: environment.LOG_LEVEL,
    bootstrapApiKey: environment.BOOTSTRAP_API_KEY,
    bootstrapTier: environment.BOOTSTRAP_TIER,
    adminApiKey: environment.ADMIN_API_KEY,
    trustProxy: parseTrustProxy(environment.TRUST_PROXY),
    platforms: {
      enabled,
      defaults: parsePlatforms('DEFAULT_PLATFORMS', environment.DEFAULT_PLATFORMS ?? enabled.join(','), enabled),
      githubApiUrl: environment.GITHUB_API_URL,
      githubToken: environment.GITHUB_TOKEN,
      hackernewsApiUrl: environment.HACKERNEWS_API_URL,
      stackexchangeApiUrl: environment.STACKEXCHANGE_API_URL,
      stackexchangeApiKey: environment.STACKEXCHANGE_API_KEY,
      stackexchangeSites: list(environment.STACKEXCHANGE_SITES),
    },
  }
}
