import { Command, Option } from 'commander'
import { type KeyScope, keyScopes } from '../database/column-types.ts'
import type { Data } from './api-types.ts'
import { operatorCommand, plainly } from './operator-command.ts'
import { defined, wholeNumber } from './options.ts'
import type { Row } from './output.ts'
import { count, formatDay, formatMoment, printable } from './text.ts'

type Key = Data<'listAccountKeys'>['results'][number]

const keysOf = '/api/admin/accounts/{accountId}/keys'

interface KeyOptions {
  scope: KeyScope
  expires?: string
  monthlyCredits?: number
}

function rowOf(key: Key): Row {
  const { expiresAt, revokedAt, lastUsedAt, monthlyCredits } = key
  const use = lastUsedAt === null ? 'never used' : `used ${formatDay(lastUsedAt)}`
  const facts = [
    key.hint,
    key.feedbackOnly ? 'feedback' : key.scope,
    `since ${formatDay(key.createdAt)}`,
    revokedAt === null ? use : `revoked ${formatDay(revokedAt)}`,
    expiresAt === null ? '' : `until ${formatMoment(expiresAt)}`,
    monthlyCredits === null ? '' : `${key.usedThisMonth} of ${count(monthlyCredits, 'credit')} used this month`,
  ]
  return { title: key.name, facts, id: key.keyId }
}

type Made = Data<'listMadeByAccountKey'>

const madeWords = {
  keys: 'key',
  feeds: 'feed',
  shares: 'share',
  channels: 'channel',
  trackers: 'tracker',
  watches: 'watch',
} satisfies Record<keyof Made, string>

const { watches: _, ...endedWords } = madeWords

const madeLines = (made: Made): string[] =>
  (Object.keys(madeWords) as (keyof Made)[]).flatMap((kind) =>
    made[kind].map(({ name, ...id }) => `${madeWords[kind].padEnd(7)}  ${printable(name)}  ${Object.values(id)[0]}`),
  )

const create = () =>
  operatorCommand('create', 'add an API key to an account and print it; it is shown only once')
    .argument('<accountId>', 'the id of an account, as "wishwell admin accounts list" shows it')
    .argument('<name>', 'a name for people; it need not be unique')
    .addOption(
      new Option('--scope <scope>', 'what it may do: only send feedback; read, also collect, also manage')
        .choices(['feedback', ...keyScopes])
        .default('manage'),
    )
    .option('--expires <moment>', 'from then on it opens nothing: a UTC day, 2026-01-31, or an RFC 3339 date-time')
    .option('--monthly-credits <credits>', 'the most that it may use in a UTC month', wholeNumber(0, 2 ** 31 - 1))
    .action(
      plainly.call('post', keysOf, ({ keyId, apiKey }) => [`Key ${keyId}`, `API key: ${apiKey}   (shown only once)`], {
        body: (name: string, { scope, expires, monthlyCredits }: KeyOptions) => ({
          name,
          ...(scope === 'feedback' ? { feedbackOnly: true } : { scope }),
          ...defined({ expiresAt: expires, monthlyCredits }),
        }),
      }),
    )

const list = () =>
  operatorCommand(
    'list',
    "list an account's API keys: name, first characters, scope, day of creation, state, bounds, id",
  )
    .argument('<accountId>', 'the id of an account, as "wishwell admin accounts list" shows it')
    .action(plainly.list(keysOf, rowOf, 'The account has no keys.'))

const revoke = () =>
  operatorCommand('revoke', 'revoke an API key, at once and for good')
    .argument('<keyId>', 'the id of a key, as "wishwell admin keys list" shows it')
    .option(
      '--with-made',
      `end all that it made, too: ${Object.keys(endedWords).join(', ')}; watches stop until they are resumed`,
      false,
    )
    .action(
      plainly.call('delete', '/api/admin/keys/{keyId}', ({ keyId, ended }) => [
        `Key ${keyId} is revoked.`,
        ...madeLines(ended),
      ]),
    )

const made = () =>
  operatorCommand('made', 'list what a key made: what "revoke --with-made" would end')
    .argument('<keyId>', 'the id of a key, as "wishwell admin keys list" shows it')
    .action(
      plainly.call('get', '/api/admin/keys/{keyId}/made', (found) => {
        const lines = madeLines(found)
        return lines.length === 0 ? ['It made nothing that is there still.'] : lines
      }),
    )

/** `wishwell admin keys`: the operator's commands for API keys. */
export function keysCommand(): Command {
  const keys = new Command('keys').description('create, list and revoke API keys of accounts (admin key)')
  for (const command of [create(), list(), made(), revoke()]) keys.addCommand(command)
  return keys
}
