import { Command } from 'commander'
import type { HostStatus, PlatformStatus } from '../platforms/status.ts'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { environmentHelp } from './options.ts'
import { endWhenNobodyReads, printJson, printLines } from './output.ts'

const help = `
States: ready; waiting (for its next window); paused (it keeps failing); quota_exhausted (until tomorrow);
not_configured (credentials are missing); off (not in PLATFORMS).
${environmentHelp}

Exit codes: 0 done; 1 the service refused; 2 the command line or the environment is wrong; 3 the service cannot be reached;
5 too many requests.`

/** `wishwell platforms`: which platforms are on and usable, what is left of their limits, and what to do. */
export function platformsCommand(): Command {
  return new Command('platforms')
    .description('show which platforms are on and usable, and what to do about the others (free)')
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', help)
    .showHelpAfterError('(wishwell platforms --help shows every option)')
    .action(showPlatforms)
}

async function showPlatforms({ json }: { json: boolean }): Promise<void> {
  endWhenNobodyReads()
  const answer = await createApi(readClientConfig()).readPlatforms()
  if (json) printJson(answer)
  else printLines(formatPlatforms(answer.data.platforms))
}

const minute = (moment: string) => `${moment.slice(0, 16).replace('T', ' ')} UTC`

function formatHost({ host, state, resumesAt, budget, quota, lastSuccessAt }: HostStatus): string {
  const until = resumesAt === null ? '' : ` until ${minute(resumesAt)}`
  const today = quota === null ? '' : `, ${quota.remaining} of ${quota.limit} today`
  const success = lastSuccessAt === null ? 'no answer yet' : `last answer ${minute(lastSuccessAt)}`
  return `    ${host}: ${state}${until}, ${budget.remaining} of ${budget.limit} requests left${today}, ${success}`
}

/** The lines that a person reads. */
export function formatPlatforms(platforms: readonly PlatformStatus[]): string[] {
  return platforms.flatMap(({ platform, state, isDefault, resumesAt, advice, hosts }) => [
    `${platform.padEnd(14)} ${state}${resumesAt === null ? '' : ` until ${minute(resumesAt)}`}${isDefault ? ', used by default' : ''}`,
    ...(state === 'off' ? [] : hosts.map(formatHost)),
    ...(advice === null ? [] : [`    ${advice}`]),
  ])
}
