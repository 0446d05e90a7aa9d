import { Command, Option } from 'commander'
import { platformNames } from '../platforms/registry.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { count, printable } from './text.ts'

interface Suppressions {
  entries: number
  purges: { purgeId: string; kinds: string[]; entries: number; createdAt: string }[]
}

const path = '/api/admin/suppressions'

const list = () =>
  operatorCommand(
    'list',
    'how much is suppressed, and the latest purges that did it; nobody can tell what it was',
  ).action((options: { json: boolean }) =>
    operate<Suppressions>(
      options,
      (operator) => operator.call(path),
      ({ entries, purges }) => [
        `${count(entries, 'hash').replace(/hashs$/, 'hashes')} of what may not be stored again.`,
        ...purges.map(({ purgeId, kinds, entries: own, createdAt }) => {
          const what = kinds.length === 0 ? 'platform or age' : kinds.map(printable).join(', ')
          return `${purgeId}  ${createdAt.slice(0, 10)}  ${own.toLocaleString('en-US')}  ${what}`
        }),
      ],
    ),
  )

interface LiftOptions {
  purge?: string
  platform?: string
  id?: string
  url?: string
  author?: string
  json: boolean
}

const lift = () =>
  operatorCommand('lift', 'let a later collection store again what a purge kept out; give what the purge was given')
    .option('--purge <purgeId>', 'everything of one purge, as "suppression list" shows it')
    .addOption(new Option('--platform <platform>', 'only there').choices(platformNames))
    .option('--id <id>', 'the id that the platform knows it by; needs --platform')
    .option('--url <url>', 'what was asked there')
    .option('--author <author>', 'what somebody asked')
    .action(({ purge: purgeId, platform, id, url, author, json }: LiftOptions) => {
      if ([purgeId, id, url, author].filter((given) => given !== undefined).length !== 1) {
        throw new CommandError('Give one of --purge, --id, --url, --author.', exitCodes.usage)
      }
      return operate<{ lifted: number }>(
        { json },
        (operator) => operator.call(`${path}/lift`, { method: 'POST', body: { purgeId, platform, id, url, author } }),
        () => ['Lifted: it may be collected again.'],
      )
    })

/** `wishwell suppression`: what purges keep out. */
export function suppressionCommand(): Command {
  const suppression = new Command('suppression').description('see and lift what purges keep out (admin key)')
  for (const command of [list(), lift()]) suppression.addCommand(command)
  return suppression
}
