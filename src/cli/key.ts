import { Command } from 'commander'
import { operate, operatorCommand, segment } from './operator-command.ts'
import { printable } from './text.ts'

interface Key {
  keyId: string
  name: string
  hint: string
  createdAt: string
  revokedAt: string | null
  lastUsedAt: string | null
}

const keysOf = (accountId: string) => `/api/admin/accounts/${segment(accountId)}/keys`

function formatKey({ keyId, name, hint, createdAt, revokedAt, lastUsedAt }: Key): string {
  const day = (moment: string) => moment.slice(0, 10)
  const use = lastUsedAt === null ? 'never used' : `used ${day(lastUsedAt)}`
  const state = revokedAt === null ? use : `revoked ${day(revokedAt)}`
  return `${keyId}  ${printable(hint)}  ${day(createdAt)}  ${state.padEnd(18)}  ${printable(name)}`
}

const create = () =>
  operatorCommand('create', 'add an API key to an account and print it; it is shown only once')
    .argument('<accountId>', 'the id of an account, as "account list" shows it')
    .argument('<name>', 'a name for people; it need not be unique')
    .action((accountId: string, name: string, options: { json: boolean }) =>
      operate<{ keyId: string; apiKey: string }>(
        options,
        (operator) => operator.call(keysOf(accountId), { method: 'POST', body: { name } }),
        (made) => [`Key ${made.keyId}`, `API key: ${made.apiKey}   (shown only once)`],
      ),
    )

const list = () =>
  operatorCommand('list', "list an account's API keys: id, first characters, day of creation, state, name")
    .argument('<accountId>', 'the id of an account, as "account list" shows it')
    .action((accountId: string, options: { json: boolean }) =>
      operate<{ keys: Key[] }>(
        options,
        (operator) => operator.call(keysOf(accountId)),
        ({ keys }) => (keys.length === 0 ? ['The account has no keys.'] : keys.map(formatKey)),
      ),
    )

const revoke = () =>
  operatorCommand('revoke', 'revoke an API key, at once and for good')
    .argument('<keyId>', 'the id of a key, as "key list" shows it')
    .action((keyId: string, options: { json: boolean }) =>
      operate<{ keyId: string }>(
        options,
        (operator) => operator.call(`/api/admin/keys/${segment(keyId)}`, { method: 'DELETE' }),
        (revoked) => [`Key ${revoked.keyId} is revoked.`],
      ),
    )

/** `wishwell key`: the operator's commands for API keys. */
export function keyCommand(): Command {
  const key = new Command('key').description('create, list and revoke API keys of accounts (admin key)')
  for (const command of [create(), list(), revoke()]) key.addCommand(command)
  return key
}
