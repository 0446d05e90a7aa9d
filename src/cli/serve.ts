import { readConfig } from '../app/config.ts'
import { prepareDatabase } from '../app/prepare-database.ts'
import { type Service, StopLimitError, startService } from '../app/service.ts'
import { chooseLogFormat, createLog, endCommand, logDatabaseEnd } from './log.ts'

/** The configuration with the log's format resolved, and the log. */
function readSetup() {
  const config = readConfig()
  const logFormat = chooseLogFormat(config.logFormat, process.stderr.isTTY)
  return { config: { ...config, logFormat }, log: createLog(config.logLevel, logFormat) }
}

const repeatedSignalMs = 1_000

/** Runs the service until SIGTERM or SIGINT. The first signal drains, even during the start; a second exits at once. */
export async function serve(): Promise<void> {
  const { config, log } = readSetup()
  const starting = startService(config, log, (error) => {
    logDatabaseEnd(log, error)
    process.exit(1)
  })

  let stoppingSince: number | null = null
  const shutDown = async (reason: string) => {
    if (stoppingSince !== null) {
      // Ctrl-C arrives twice, from terminal and launcher: only a later signal counts as the second.
      if (performance.now() - stoppingSince < repeatedSignalMs) return
      log.warn({ reason }, 'ending at once')
      process.exit(1)
    }
    stoppingSince = performance.now()
    log.info({ reason }, 'shutting down')
    // A failed start ends the process by itself.
    const service = await starting
    try {
      await service.stop()
      log.info('stopped')
      process.exit(0)
    } catch (error) {
      if (error instanceof StopLimitError) log.fatal(`${error.message}: what was under way is left to the next start`)
      else log.fatal({ err: error }, 'the shutdown failed: what was under way is left to the next start')
      process.exit(1)
    }
  }
  process.on('SIGTERM', () => void shutDown('SIGTERM'))
  process.on('SIGINT', () => void shutDown('SIGINT'))
  // The launcher (bin/wishwell.mjs) was killed and could not forward a signal.
  process.on('disconnect', () => void shutDown('the parent process ended'))
  const crash = (error: unknown) => {
    log.fatal({ err: error }, 'cannot go on')
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  const service = await starting
  // Last, because readers of this text may send a signal at once.
  console.log(formatWelcome(service, process.stdout.isTTY).join('\n'))
}

/** Brings the database up to date. */
export async function migrateDatabase({ json }: { json: boolean }): Promise<void> {
  const { config, log } = readSetup()
  const { opened, migrations, searchIndex, searchCluster, queue } = await prepareDatabase(config, log, endCommand, {
    buildsSearchIndex: true,
  })
  await queue.stop()
  await searchCluster?.close()
  await opened.close()
  const result = { database: opened.backend, search: searchIndex.kind, migrations }
  if (json) console.log(JSON.stringify(result))
  else if (migrations.length === 0)
    console.log(`The ${opened.backend} database is up to date (search: ${searchIndex.kind}).`)
  else console.log(`Migrated the ${opened.backend} database: ${migrations.join(', ')} (search: ${searchIndex.kind}).`)
}

type Started = Pick<Service, 'address' | 'firstApiKey' | 'signInUrl' | 'adminKeyLocation'>

/** The text of a start, the only place that shows key and link. @param isTerminal adds empty lines around it */
export function formatWelcome(service: Started, isTerminal: boolean): string[] {
  const { address, firstApiKey, signInUrl, adminKeyLocation } = service
  const lines = [`Wishwell is running${address === null ? ' as a worker' : ` at ${address}`}`]
  const add = (name: string, value: string) => lines.push(`  ${name.padEnd(10)} ${value}`)
  if (firstApiKey !== null) {
    add('API key:', firstApiKey)
    add('', '(shown only once)')
  }
  if (signInUrl !== null) {
    add('sign in:', signInUrl)
    add('', '(once, within 15 minutes; later: npx wishwell admin accounts link)')
  } else if (address !== null) {
    add('sign in:', 'npx wishwell admin accounts link   (creates a link that works once)')
  }
  add('admin key:', adminKeyLocation)
  if (address !== null) add('docs:', `${address}/docs`)
  return isTerminal ? ['', ...lines, ''] : lines
}
