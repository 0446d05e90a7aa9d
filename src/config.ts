import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { apiKeyPattern } from './accounts/keys.ts'
import { type ExpansionConfig, expansionVariables, readExpansionConfig } from './expansion/settings.ts'
import { type Proxies, parseProxies } from './http/proxies.ts'
import { parsePublicUrl } from './http/public-url.ts'
import {
  type PlatformEnvironment,
  type PlatformsConfig,
  platformVariables,
  readPlatformsConfig,
} from './platforms/settings.ts'
import { ConfigError } from './runtime/config-error.ts'
import { parseRemovalContact, type RemovalContact } from './runtime/removal-contact.ts'
import type { RunningJobs } from './scraping/queue.ts'

const secret = (meaning: string) => Type.Optional(Type.String({ minLength: 1, description: meaning }))

const runningJobs = (plan: string, limit: number) =>
  Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: limit,
    description: `how many jobs of an account of the ${plan} plan run at a time; further ones wait in line`,
  })

const runningJobsVariables = {
  RUNNING_JOBS_FREE: runningJobs('free', 2),
  RUNNING_JOBS_PRO: runningJobs('pro', 5),
  RUNNING_JOBS_MAX: runningJobs('max', 10),
}

/** Every environment variable that Wishwell reads: its type, default and meaning. README's table is made from it. */
export const environmentSchema = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'the address it listens on' }),
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 4680,
    description: 'the port it listens on; 0 picks a free one',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      description:
        'the address that links carry, such as sign-in links: `https://wishwell.example`, without a path; by default where it listens',
    }),
  ),
  ALLOW_PLAIN_HTTP: Type.Boolean({
    default: false,
    description:
      '`true` lets it listen on another address than loopback without `TRUST_PROXY`: keys and sessions then travel in the clear',
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
  LOG_FORMAT: Type.Union(
    ['auto', 'json', 'text'].map((format) => Type.Literal(format)),
    {
      default: 'auto',
      description:
        'how the log on stderr is written: `json`, `text` (short lines for people; of calls only the slow ones and those that failed) or `auto`, which is text on a terminal',
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
  REMOVAL_CONTACT: Type.Optional(
    Type.String({
      description:
        'whom authors ask to have a post removed or to get a copy, an e-mail or web address: shown on the page, and sent to the platforms in `User-Agent`',
    }),
  ),
  JOB_TIME_LIMIT_MINUTES: Type.Integer({
    minimum: 1,
    maximum: 7 * 24 * 60,
    default: 360,
    description:
      'how long a scrape job may take from its start, waiting included; what is unfinished then ends as `timeout`',
  }),
  ...runningJobsVariables,
  TOPIC_TTL_MINUTES: Type.Integer({
    minimum: 0,
    maximum: 30 * 24 * 60,
    default: 360,
    description:
      'how long a platform that delivered a page of a topic is not asked for it again by expanded searches and `source=realtime`',
  }),
  LIVE_DEADLINE_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 60,
    default: 15,
    description:
      'how long an expanded search or a list with `source=realtime` waits for its platforms; what comes later is stored for the next call',
  }),
  ...platformVariables,
  ...expansionVariables,
})

export type LogFormat = 'auto' | 'json' | 'text'

type Environment = Static<typeof environmentSchema>

/** The whole configuration, parsed once. Nothing else reads the environment. */
export interface Config {
  host: string
  port: number
  /** What links begin with, without a slash at the end; by default where the service listens. */
  publicUrl: string | undefined
  /** Whether others may read along on the way to an address that is not loopback. */
  allowPlainHttp: boolean
  dataDir: string
  databaseUrl: string | undefined
  role: Environment['ROLE']
  logLevel: string
  logFormat: LogFormat
  bootstrapApiKey: string | undefined
  bootstrapTier: Environment['BOOTSTRAP_TIER']
  adminApiKey: string | undefined
  trustProxy: Proxies | undefined
  removalContact: RemovalContact | undefined
  jobTimeLimitMs: number
  runningJobs: RunningJobs
  /** How long a topic is fresh on a platform. */
  topicTtlMs: number
  /** From call to answer of what collects live. */
  liveDeadlineMs: number
  platforms: PlatformsConfig
  expansion: ExpansionConfig
}

const publicUrlRule =
  'must be an http or https address with no path, query, name or password, like https://wishwell.example.'
const removalContactRule = 'must be an e-mail address, or an http or https address without a name and a password.'

function complain(variable: string, what: string): never {
  throw new ConfigError(`${variable}: ${what}`)
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

/** What a parser makes of a variable that may be absent. @throws ConfigError when it makes nothing of it. */
function parseOptional<T>(
  environment: Environment,
  variable: 'PUBLIC_URL' | 'REMOVAL_CONTACT',
  parse: (text: string) => T | null,
  rule: string,
): T | undefined {
  const text = environment[variable]
  const parsed = text === undefined ? undefined : parse(text)
  return parsed === null ? complain(variable, rule) : parsed
}

function checkTogether(environment: Environment): void {
  if (environment.BOOTSTRAP_API_KEY !== undefined && !apiKeyPattern.test(environment.BOOTSTRAP_API_KEY)) {
    throw new ConfigError('BOOTSTRAP_API_KEY: must be ww_live_ followed by 32 characters of a-z and 0-9.')
  }
  // What no Authorization header can hold would open nothing.
  if (environment.ADMIN_API_KEY !== undefined && !/^[\x21-\x7e]{16,}$/.test(environment.ADMIN_API_KEY)) {
    throw new ConfigError('ADMIN_API_KEY: must have 16 characters or more, ASCII and no spaces.')
  }
  if (environment.DATABASE_URL === undefined && environment.ROLE !== 'all') {
    throw new ConfigError(`ROLE: ${environment.ROLE} needs DATABASE_URL; the embedded database belongs to one process.`)
  }
}

// Everything in the environment is text; numbers are read from it, and defaults filled in.
const ajv = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: true }).addVocabulary(['x-kind'])
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
  return {
    host: environment.HOST,
    port: environment.PORT,
    publicUrl: parseOptional(environment, 'PUBLIC_URL', parsePublicUrl, publicUrlRule),
    allowPlainHttp: environment.ALLOW_PLAIN_HTTP,
    dataDir: environment.DATA_DIR,
    databaseUrl: environment.DATABASE_URL,
    role: environment.ROLE,
    logLevel: environment.LOG_LEVEL,
    logFormat: environment.LOG_FORMAT as LogFormat,
    bootstrapApiKey: environment.BOOTSTRAP_API_KEY,
    bootstrapTier: environment.BOOTSTRAP_TIER,
    adminApiKey: environment.ADMIN_API_KEY,
    trustProxy: parseTrustProxy(environment.TRUST_PROXY),
    removalContact: parseOptional(environment, 'REMOVAL_CONTACT', parseRemovalContact, removalContactRule),
    jobTimeLimitMs: environment.JOB_TIME_LIMIT_MINUTES * 60_000,
    runningJobs: {
      free: environment.RUNNING_JOBS_FREE,
      pro: environment.RUNNING_JOBS_PRO,
      max: environment.RUNNING_JOBS_MAX,
    },
    topicTtlMs: environment.TOPIC_TTL_MINUTES * 60_000,
    liveDeadlineMs: environment.LIVE_DEADLINE_SECONDS * 1_000,
    platforms: readPlatformsConfig(environment as unknown as PlatformEnvironment, complain),
    expansion: readExpansionConfig(environment, complain, environment.LIVE_DEADLINE_SECONDS * 1_000),
  }
}
