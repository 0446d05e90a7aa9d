import { CommandError, exitCodes } from './exit-codes.ts'

/** The environment of the commands that are clients of a service. */
export interface ClientConfig {
  /** The address of the service, without a slash at the end. */
  url: string
  apiKey: string
  /** Whether the terminal understands cursor movements. */
  movesCursor: boolean
}

const usageError = (message: string) => new CommandError(message, exitCodes.usage)

function parseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError('WISHWELL_URL: must be the address of a service, like http://127.0.0.1:4680.')
  }
  // fetch refuses such addresses with a message that contains them.
  if (url.username !== '' || url.password !== '') throw usageError('WISHWELL_URL: must not hold a name or a password.')
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

export interface ServiceAddress {
  /** The address of the service, without a slash at the end. */
  url: string
  /** Whether the service may run on this machine: then its database may be here, too. */
  isHere: boolean
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * The address that an operator's command calls: WISHWELL_URL, else the address of `serve` in this environment.
 * @throws CommandError when WISHWELL_URL is not an address.
 */
export function readServiceAddress(
  { host, port }: { host: string; port: number },
  environment: Record<string, string | undefined> = process.env,
): ServiceAddress {
  const given = environment.WISHWELL_URL?.trim() || null
  if (given !== null) {
    const url = parseUrl(given)
    return { url, isHere: loopback.test(new URL(url).hostname) }
  }
  // A service that listens on every address listens on loopback, too.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${port || 4680}`, isHere: true }
}

/**
 * The address that tells whether the service of this environment can serve: `/readyz`, or the metrics of a worker, which has no
 * other address.
 * @throws CommandError when the environment names none.
 */
export function readHealthAddress(environment: Record<string, string | undefined> = process.env): string {
  const value = (name: string) => environment[name]?.trim() || undefined
  const serviceAt = (host: string, port: number) => readServiceAddress({ host, port }, environment).url
  if (value('ROLE') !== 'worker' || value('WISHWELL_URL') !== undefined)
    return `${serviceAt(value('HOST') ?? '127.0.0.1', Number(value('PORT') ?? 0))}/readyz`
  const port = Number(value('METRICS_PORT') ?? 0)
  if (!(port > 0)) throw usageError('METRICS_PORT is not set: a worker has no other address to ask.')
  return `${serviceAt(value('METRICS_HOST') ?? '127.0.0.1', port)}/metrics`
}

/**
 * Reads WISHWELL_URL and WISHWELL_API_KEY.
 * @throws CommandError that says which variable is missing and where to get it, and never contains a value.
 */
export function readClientConfig(environment: Record<string, string | undefined> = process.env): ClientConfig {
  const apiKey = environment.WISHWELL_API_KEY?.trim() ?? ''
  if (apiKey === '') {
    throw usageError(
      'WISHWELL_API_KEY is not set. The service prints an API key once, when "wishwell serve" starts for the first ' +
        'time;\nits operator can add more with POST /api/admin/accounts/{accountId}/keys.',
    )
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw usageError('WISHWELL_API_KEY: is not an API key; one is ww_live_ and 32 characters of a-z and 0-9.')
  }
  const url = parseUrl(environment.WISHWELL_URL?.trim() || 'http://127.0.0.1:4680')
  return { url, apiKey, movesCursor: environment.TERM !== 'dumb' }
}
