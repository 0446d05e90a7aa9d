import { Argument, Command, Option } from 'commander'
import { packNames, tiers } from '../accounts/plans.ts'
import type { PackName, Tier } from '../database/column-types.ts'
import { answerOf, once, wholeList } from './api.ts'
import type { Data } from './api-types.ts'
import { CommandError } from './exit-codes.ts'
import type { Operator } from './operator.ts'
import { confirm, operate, operatorCommand, plainly, requireSomebodyToAsk } from './operator-command.ts'
import { visibleAscii, wholeNumber } from './options.ts'
import { formatRow, noteLines, type Row } from './output.ts'
import { count, formatDay, formatMoment, printable } from './text.ts'

type Account = Data<'updateAccount'> & Partial<Data<'listAccounts'>['results'][number]>

const of = (accountId: string) => ({ path: { accountId } })
const accountId = () => new Argument('<accountId>', 'the id of an account, as "wishwell admin accounts list" shows it')

const seenOn = (moment: string | null) => (moment === null ? 'never seen' : `seen ${formatDay(moment)}`)

const rowOf = ({ accountId, name, tier, createdAt, deletedAt, usedThisMonth, lastSeenAt }: Account): Row => ({
  title: name,
  facts: [
    tier,
    usedThisMonth === undefined ? '' : `${count(usedThisMonth, 'credit')} this month`,
    lastSeenAt === undefined ? '' : seenOn(lastSeenAt),
    `since ${formatDay(createdAt)}`,
    deletedAt === null ? '' : `deleted ${formatDay(deletedAt)}`,
  ],
  id: accountId,
})

const made = ({ accountId: id, tier, name, apiKey }: Data<'createAccount'>) => [
  `Account ${id} (${tier}): ${printable(name)}`,
  `API key: ${apiKey}   (shown only once)`,
]

const create = () =>
  operatorCommand('create', 'create an account and print its first API key, which is shown only once')
    .argument('<name>', 'a name for people; it need not be unique')
    .addOption(new Option('--tier <tier>', 'the plan').choices(tiers).default('free'))
    .action(
      plainly.call('post', '/api/admin/accounts', made, {
        body: (name: string, { tier }: { tier: Tier }) => ({ name, tier }),
      }),
    )

const list = () =>
  operatorCommand('list', 'list the accounts: name, plan, credits used this month, days of last use and creation, id')
    .option('--deleted', 'include deleted accounts', false)
    .action(plainly.list('/api/admin/accounts', rowOf, 'There are no accounts.'))

const setTier = () =>
  operatorCommand('set-tier', "change an account's plan, effective at once; credits already used stay used")
    .addArgument(accountId())
    .addArgument(new Argument('<tier>', 'the plan').choices(tiers))
    .action(
      plainly.call('patch', '/api/admin/accounts/{accountId}', (account) => [formatRow(rowOf(account))], {
        body: (tier: Tier) => ({ tier }),
      }),
    )

async function confirmDeletion({ api }: Operator, id: string, options: { yes: boolean }): Promise<void> {
  if (options.yes) return
  const { data } = await answerOf(wholeList((query) => api.GET('/api/admin/accounts', { params: { query } })))
  const account = data.results.find((candidate) => candidate.accountId === id)
  if (!account) throw new CommandError('Account not found.')
  await confirm(`The account "${printable(account.name)}" loses its name and every API key for good.`, options)
}

const remove = () =>
  operatorCommand('delete', 'delete an account: its name is erased and its keys are revoked; its ledger stays')
    .addArgument(accountId())
    .option('--yes', 'do not ask for confirmation; required without a terminal', false)
    .action((id: string, options: { yes: boolean; json: boolean }) => {
      requireSomebodyToAsk(options)
      return operate(
        options,
        async (operator) => {
          await confirmDeletion(operator, id, options)
          return operator.api.DELETE('/api/admin/accounts/{accountId}', { params: of(id) })
        },
        (deleted) => [`Account ${deleted.accountId} is deleted. Its running jobs continue to their end.`],
      )
    })

const grant = () =>
  operatorCommand('grant', 'add a pack of pay-as-you-go credits that was paid for; they never expire')
    .addArgument(accountId())
    .addArgument(new Argument('<pack>', 'the pack').choices(packNames))
    .option(
      '--idempotency-key <key>',
      'for example the id of the payment: repeated with the same key within 24 hours, the pack is added only once',
      visibleAscii,
    )
    .action((id: string, pack: PackName, options: { idempotencyKey?: string; json: boolean }) =>
      operate(
        options,
        ({ api }) => {
          const header = options.idempotencyKey === undefined ? once() : { 'idempotency-key': options.idempotencyKey }
          return api.POST('/api/admin/accounts/{accountId}/packs', { params: { ...of(id), header }, body: { pack } })
        },
        ({ paygBalance }) => [`The account has ${count(paygBalance, 'pay-as-you-go credit')} now.`],
      ),
    )

const capped = ({ paygMonthlyCap: cap }: Data<'updateAccount'>) => [
  cap === null ? 'There is no cap now.' : `The cap is ${count(cap, 'credit')} a month.`,
]

const setCap = () =>
  operatorCommand('set-cap', 'limit the pay-as-you-go credits that an account may use in a month')
    .addArgument(accountId())
    .argument('<credits>', 'whole credits a UTC month, or "none"', (text) =>
      text === 'none' ? null : wholeNumber(0, 2 ** 31 - 1)(text),
    )
    .action(
      plainly.call('patch', '/api/admin/accounts/{accountId}', capped, {
        body: (paygMonthlyCap: number | null) => ({ paygMonthlyCap }),
      }),
    )

/** The default of commands without an id: the first account, made by the first start. */
async function findFirstAccount({ api }: Operator): Promise<string> {
  const { data } = await answerOf(wholeList((query) => api.GET('/api/admin/accounts', { params: { query } })))
  const [first] = data.results
  if (!first) throw new CommandError('There are no accounts. Create one with: wishwell admin accounts create <name>')
  if (data.results.length > 1) {
    noteLines([
      `This is the first of ${data.results.length} accounts, "${printable(first.name)}" (${first.accountId}).`,
      'For another account, give its id as "wishwell admin accounts list" shows it.',
    ])
  }
  return first.accountId
}

const link = () =>
  operatorCommand('link', 'create a link that signs in to an account on the dashboard once, and print it')
    .argument(
      '[accountId]',
      'the id of an account, as "wishwell admin accounts list" shows it (default: the first account)',
    )
    .action((id: string | undefined, options: { json: boolean }) =>
      operate(
        options,
        async (operator) => {
          const accountId = id ?? (await findFirstAccount(operator))
          return operator.api.POST('/api/admin/accounts/{accountId}/links', { params: of(accountId), body: {} })
        },
        ({ url, expiresAt }) => [url, `(works once, until ${formatMoment(expiresAt)})`],
      ),
    )

const signOut = () =>
  operatorCommand('sign-out', 'end every dashboard session of an account and revoke its unused sign-in links')
    .addArgument(accountId())
    .action((id: string, options: { json: boolean }) =>
      operate(
        options,
        async ({ api }) => {
          await api.DELETE('/api/admin/accounts/{accountId}/links', { params: of(id) })
          return api.DELETE('/api/admin/accounts/{accountId}/sessions', { params: of(id) })
        },
        ({ ended }) => [`The account is signed out (${count(ended, 'session')}). Its API keys stay.`],
      ),
    )

/** `wishwell admin accounts`: the operator's commands for accounts. */
export function accountsCommand(): Command {
  const group = new Command('accounts').description('create, list, change and delete accounts (admin key)')
  const commands = [create(), list(), setTier(), grant(), setCap(), link(), signOut(), remove()]
  for (const command of commands) group.addCommand(command)
  return group
}
