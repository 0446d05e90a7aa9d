import { join } from 'node:path'
import { pino } from 'pino'
import { readConfig } from '../../src/app/config.ts'
import { startService } from '../../src/app/service.ts'
import { formatWelcome } from '../../src/cli/serve.ts'
import type { PlatformName } from '../../src/database/column-types.ts'
import type { Platform } from '../../src/platforms/platform.ts'
import { unlimited } from '../unlimited.ts'

// A process of the service as the contract suite needs it: without rate limits, with scripted platforms where TEST_PLATFORMS is a module that
// exports `platforms`, and with wishes that change only by corrections, as in the contract suite on one process.

const read = readConfig()
const config = { ...read, requestLimits: unlimited, pageDirectory: join(read.dataDir, 'no-page') }
const crash = (error: unknown) => {
  console.error(error)
  process.exit(1)
}
const { platforms } = (process.env.TEST_PLATFORMS ? await import(process.env.TEST_PLATFORMS) : {}) as {
  platforms?: ReadonlyMap<PlatformName, Platform>
}
const service = await startService(config, pino({ level: config.logLevel }, process.stderr), crash, {
  onDemand: new Set(['placing']),
  ...(platforms ? { platforms: { adapters: platforms } } : {}),
})
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0), crash))
console.log(formatWelcome(service, false).join('\n'))
