import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import pg from 'pg'
import { generateApiKey } from '../../accounts/api-key.ts'
import { settingsIn } from '../../app/config.ts'
import { platformVariables } from '../../platforms/settings.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'

/** The simulated platforms accept any credentials, and allow more with some. */
const simulatedCredentials = { GITHUB_TOKEN: 'demo', GITLAB_TOKEN: 'demo', STACKEXCHANGE_API_KEY: 'demo' }
/** One process does everything, for an account whose plan pays for it. */
const decided = ['ROLE', 'BOOTSTRAP_TIER', 'PLATFORMS']

/** A loopback port: the wanted one if free and not taken by a setting, else any. */
export async function choosePort(wanted: number, taken: readonly (string | undefined)[] = []): Promise<number> {
  const tryPort = (port: number) =>
    new Promise<number | null>((resolve) => {
      const server = createServer().once('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null))
      })
    })
  const free = taken.includes(String(wanted)) ? null : await tryPort(wanted)
  return free ?? (await tryPort(0))!
}

/** @throws CommandError unless the place is empty: samples and real data must never mix. */
async function requireEmpty({ DATA_DIR, DATABASE_URL }: Record<string, string>): Promise<void> {
  const refuse = (what: string): never => {
    throw new CommandError(
      `${what} is not empty: the demo keeps its sample data in a place of its own.`,
      exitCodes.usage,
    )
  }
  if (DATABASE_URL === undefined) {
    if (DATA_DIR !== undefined && existsSync(DATA_DIR) && readdirSync(DATA_DIR).length > 0)
      refuse(`DATA_DIR (${DATA_DIR})`)
    return
  }
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  const tables = client.query(
    "select from pg_tables where schemaname not in ('pg_catalog', 'information_schema') limit 1",
  )
  const { rowCount } = await tables.finally(() => client.end())
  if (rowCount !== 0) refuse('The database of DATABASE_URL')
}

/** Where people on this machine reach a service. */
const addressOf = (host: string, port: string) => {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

export interface DemoSettings {
  environment: Record<string, string>
  /** Names of the caller's settings that the demo overrides. */
  notUsed: string[]
  apiKey: string
  adminKey: string
}

interface DemoParts {
  /** Where the data goes, unless the caller says. */
  directory: string
  /** The simulated platforms' environment, which overrides the caller's. */
  platforms: Record<string, string>
  /** The demo's mailbox, for callers without a mail server. */
  smtpUrl: string
}

/** The caller's settings, except platforms', completed by defaults. @throws CommandError if the place is not empty. */
export async function demoSettings(
  caller: Record<string, string | undefined>,
  { directory, platforms, smtpUrl }: DemoParts,
): Promise<DemoSettings> {
  const all = settingsIn(caller)
  const isDecided = (name: string) => name in platformVariables || name in platforms || decided.includes(name)
  const own = Object.fromEntries(Object.entries(all).filter(([name]) => !isDecided(name)))
  await requireEmpty(own)
  const { PORT: ownPort = '0', METRICS_PORT, HOST = '127.0.0.1' } = own
  const PORT = ownPort === '0' ? String(await choosePort(4_680, [METRICS_PORT])) : ownPort
  const environment: Record<string, string> = {
    DATA_DIR: directory,
    PUBLIC_URL: addressOf(HOST, PORT),
    BOOTSTRAP_API_KEY: generateApiKey(),
    ADMIN_API_KEY: randomBytes(24).toString('base64url'),
    MAIL_FROM: 'Wishwell <wishwell@demo.example>',
    ...(own.SMTP_URL === undefined ? { SMTP_URL: smtpUrl } : {}),
    // With Postgres no process generates one, because all need the same.
    ...(own.DATABASE_URL === undefined ? {} : { SECRETS_KEY: randomBytes(32).toString('base64') }),
    ...own,
    ...simulatedCredentials,
    ...platforms,
    PORT,
  }
  return {
    environment,
    notUsed: Object.keys(all).filter(isDecided),
    apiKey: environment.BOOTSTRAP_API_KEY!,
    adminKey: environment.ADMIN_API_KEY!,
  }
}
