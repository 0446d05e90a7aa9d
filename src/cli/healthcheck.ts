import { Command } from 'commander'
import { ConfigError } from '../runtime/config-error.ts'
import { connectionError } from './answers.ts'
import { readHealthAddress } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { helpEnd } from './options.ts'
import { printJson, printLines } from './output.ts'
import { printable } from './text.ts'

const help = `
It asks /readyz of the service at WISHWELL_URL, else at HOST and PORT; with ROLE=worker it asks for the metrics at METRICS_HOST and METRICS_PORT,
since a worker has no other address. CONFIG_FILE may set them, too. It needs no key.

Exit codes: 0 the service can serve; 1 it cannot, or it was not found.`

/** Less than container engines usually wait. */
const timeoutMs = 5_000

interface HealthResult {
  healthy: boolean
  /** The address; null if the environment names none. */
  url: string | null
  reason?: string
  /** The answer of `/readyz`. */
  service?: unknown
}

async function ask(url: string): Promise<HealthResult> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    if (response.ok) return { healthy: true, url, ...(isJson ? { service: await response.json() } : {}) }
    await response.body?.cancel()
    return { healthy: false, url, reason: `${url} answered ${response.status}.` }
  } catch (error) {
    return { healthy: false, url, reason: connectionError(url, error, timeoutMs).message }
  }
}

/** Checks whether this environment's service can serve. */
export async function checkHealth(environment?: Record<string, string | undefined>): Promise<HealthResult> {
  try {
    return await ask(readHealthAddress(environment))
  } catch (error) {
    if (error instanceof CommandError || error instanceof ConfigError)
      return { healthy: false, url: null, reason: error.message }
    throw error
  }
}

/** `wishwell admin healthcheck`: lets containers do without curl. */
export function healthcheckCommand(): Command {
  return new Command('healthcheck')
    .description('ask the service whether it can serve: exit code 0 or 1, for containers')
    .option('--json', 'print the result as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .action(async ({ json }: { json: boolean }) => {
      const result = await checkHealth()
      const { healthy, url, reason = '' } = result
      if (json) printJson(result)
      else printLines([healthy ? `healthy: ${url}` : `unhealthy: ${printable(reason)}`])
      if (!healthy) process.exitCode = exitCodes.failed
    })
}
