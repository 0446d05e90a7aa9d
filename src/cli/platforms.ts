import { Command } from 'commander'
import type { HostStatus, PlatformStatus } from '../platforms/status.ts'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp, helpEnd } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { printable } from './text.ts'

const help = `
States: ready; waiting (for its next window); unreachable (the last try failed);
failing (its last answer was an error; calls continue); paused (after
repeated failures); quota_exhausted (until tomorrow); not_configured (credentials are
missing); off (not in PLATFORMS).
${environmentHelp}

Exit codes: 0 done; 1 the service refused; 2 the command line or the environment is wrong; 3 the service cannot be reached;
5 too many requests.`

/** `wishwell platforms`: the state of every platform, its remaining budget, and advice. */
export function platformsCommand(): Command {
  return new Command('platforms')
    .description('show which platforms are on and usable, and how to fix the others (free)')
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell platforms --help shows every option)')
    .action(showPlatforms)
}

async function showPlatforms({ json }: { json: boolean }): Promise<void> {
  exitWhenOutputCloses()
  const answer = await createApi(readClientConfig()).readPlatforms()
  if (json) printJson(answer)
  else printLines(formatPlatforms(answer.data.platforms))
}

const minute = (moment: string) => `${moment.slice(0, 16).replace('T', ' ')} UTC`

/** Whether the last call failed, other than by a limit. */
const isFailing = ({ lastError, lastSuccessAt }: HostStatus) =>
  lastError !== null && lastError.code !== 'rate_limited' && lastError.at > (lastSuccessAt ?? '')

/** A host whose last call failed is not shown as ready, although calls to it continue. */
const stateOfHost = (host: HostStatus): string => (host.state === 'ready' && isFailing(host) ? 'failing' : host.state)

function stateOfPlatform({ state, hosts }: PlatformStatus): string {
  const failing = hosts.filter(isFailing).length
  if (state !== 'ready' || failing === 0) return state
  return failing === hosts.length ? 'failing' : `ready, but ${failing} of ${hosts.length} hosts failing`
}

function formatHost(status: HostStatus): string {
  const { host, resumesAt, budget, quota, lastSuccessAt } = status
  const until = resumesAt === null ? '' : ` until ${minute(resumesAt)}`
  const today = quota === null ? '' : `, ${quota.remaining} of ${quota.limit} today`
  const success = lastSuccessAt === null ? 'no answer yet' : `last answer ${minute(lastSuccessAt)}`
  return `    ${printable(host)}: ${stateOfHost(status)}${until}, ${budget.remaining} of ${budget.limit} requests left${today}, ${success}`
}

function formatPlatform(status: PlatformStatus): string[] {
  const { platform, state, isDefault, resumesAt, advice, hosts } = status
  const until = resumesAt === null ? '' : ` until ${minute(resumesAt)}`
  return [
    `${platform.padEnd(14)} ${stateOfPlatform(status)}${until}${isDefault ? ', used by default' : ''}`,
    ...(state === 'off' ? [] : hosts.map(formatHost)),
    ...(advice === null ? [] : [`    ${printable(advice)}`]),
  ]
}

/** The platforms as text. */
export const formatPlatforms = (platforms: readonly PlatformStatus[]): string[] => platforms.flatMap(formatPlatform)
