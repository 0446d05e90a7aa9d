import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import pg from 'pg'
import { generateApiKey } from '../../accounts/api-key.ts'
import { environmentSchema } from '../../config.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'

/** Credentials that the simulated platforms accept as any other: they allow more with some. */
const simulatedCredentials = { GITHUB_TOKEN: 'demo', GITLAB_TOKEN: 'demo', STACKEXCHANGE_API_KEY: 'demo' }

type Environment = Record<string, string | undefined>

/** The settings of the service in an environment; an empty one counts as absent. */
const settingsIn = (environment: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.keys(environmentSchema.properties).flatMap((name) => {
      const value = environment[name]?.trim() ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )

/** A port of the loopback interface: the given one if it is free, else any. */
export async function choosePort(wanted: number): Promise<number> {
  const tryPort = (port: number) =>
    new Promise<number | null>((resolve) => {
      const server = createServer().once('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null))
      })
    })
  return (await tryPort(wanted)) ?? (await tryPort(0))!
}

/** @throws CommandError unless the place is empty: sample data must not get among real ones, nor real jobs to simulated platforms. */
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
  const tables = client.query('select from pg_tables where schemaname = current_schema() limit 1')
  const { rowCount } = await tables.finally(() => client.end())
  if (rowCount !== 0) refuse('The database of DATABASE_URL')
}

export interface DemoSettings {
  /** The whole environment of the service. */
  environment: Record<string, string>
  /** Settings of the caller that are about real platforms, by name. */
  notUsed: string[]
  apiKey: string
  adminKey: string
}

export interface DemoParts {
  /** Where the data are, unless the caller says it. */
  directory: string
  /** The environment of the simulated platforms: it comes before the caller's. */
  platforms: Record<string, string>
  /** Of the demo's mailbox, for a caller without a mail server. */
  smtpUrl: string
}

/**
 * The settings of the demo's service: those of the caller, and where there are none those of the demo. What is about platforms is the
 * simulator's, so that no real credentials are used.
 * @throws CommandError when the place for the data is not empty.
 */
export async function demoSettings(
  caller: Environment,
  { directory, platforms, smtpUrl }: DemoParts,
): Promise<DemoSettings> {
  const own = settingsIn(caller)
  await requireEmpty(own)
  const PORT = own.PORT ?? String(await choosePort(4_680))
  const simulated = { ...simulatedCredentials, ...platforms }
  const mail = own.SMTP_URL === undefined ? { SMTP_URL: smtpUrl } : {}
  const environment: Record<string, string> = {
    DATA_DIR: directory,
    PUBLIC_URL: `http://${own.HOST ?? '127.0.0.1'}:${PORT}`,
    BOOTSTRAP_API_KEY: generateApiKey(),
    ADMIN_API_KEY: randomBytes(24).toString('base64url'),
    MAIL_FROM: 'Wishwell <wishwell@demo.example>',
    ...mail,
    ...own,
    ...simulated,
    PORT,
  }
  return {
    environment,
    notUsed: Object.keys(simulated).filter((name) => own[name] !== undefined),
    apiKey: environment.BOOTSTRAP_API_KEY!,
    adminKey: environment.ADMIN_API_KEY!,
  }
}
