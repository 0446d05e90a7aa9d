import { plural, t } from '@lingui/core/macro'
import './messages.ts'
import { conjunction, number } from '../../shell/format.ts'
import { counts } from '../counts.ts'

export const operatorTexts = {
  accounts: t`Accounts`,
  allAccounts: t`All accounts`,
  account: t`Account`,
  notFound: t`There is no such page`,
  noAccount: t`There is no such account`,
  newAccount: t`A new account`,
  name: t`Name`,
  nameFault: t`An account needs a name.`,
  makeAccount: t`Create an account`,
  makingAccount: t`Creating …`,
  madeAccount: (name: string) => t`${name} has an account. This is its API key.`,
  paygCap: t`Monthly pay-as-you-go cap`,
  none: t`none`,
  madeOn: t`Created on`,
  capFault: t`A whole number of credits, or nothing for no cap.`,
  save: t`Save`,
  saving: t`Saving …`,
  saved: t`Saved; it holds from the next call.`,
  deleteAccount: t`Delete`,
  deleteQuestion: t`Delete it permanently? Its keys stop at once, and all that it made is deleted; its ledger stays.`,
  deleteConfirm: t`Yes, delete it`,

  grant: t`Add a pack that was paid for`,
  grantPack: (name: string, credits: number) => `${name}: ${counts.credits(credits)}`,
  grantQuestion: (account: string, credits: number) =>
    t`Add ${counts.credits(credits)} to “${account}”? They cannot be taken back.`,
  grantConfirm: t`Yes, add them`,
  granting: t`Adding …`,
  granted: (name: string, balance: string) => t`${name} was added: the balance is ${balance} credits.`,

  access: t`Access`,
  accessIntro: t`An invitation is a link that signs somebody in to this account, once, within 24 hours.`,
  invite: t`Create an invitation`,
  inviting: t`Creating …`,
  invitation: t`Here is the invitation.`,
  invitationAdvice: (until: string) =>
    t`Send it to the person you invite: it is shown only once, and works once, until ${until}.`,
  openLinks: t`Open invitations`,
  noLinks: t`None.`,
  link: (made: string, until: string) => t`created ${made}, open until ${until}`,
  revokeLinks: t`Revoke all of them`,
  revokeLinksQuestion: t`Revoke every open invitation?`,
  revokeLinksConfirm: t`Yes, revoke them`,
  linksRevoked: (count: number) => t`${plural(count, { one: '# invitation', other: '# invitations' })} revoked.`,
  endSessions: t`Sign out everywhere`,
  endSessionsQuestion: t`End every session of this account?`,
  endSessionsConfirm: t`Yes, end them`,
  sessionsEnded: (count: number) => t`${plural(count, { one: '# session', other: '# sessions' })} ended.`,

  overview: t`Overview`,
  ready: t`Ready`,
  notReady: t`Not ready`,
  version: (version: string) => t`Version ${version}`,
  runsSince: (ago: string) => t`started ${ago}`,
  database: t`Database`,
  backends: { embedded: t`embedded`, postgres: 'Postgres' },
  free: (size: string) => t`${size} free`,
  search: t`Search`,
  unread: (count: string) => t`${count} changes not indexed yet`,
  failing: t`What fails`,
  nothingFails: t`No platform and no channel fails.`,
  neverAnswered: t`Never answered.`,
  channels: (failing: number, disabled: number) =>
    [
      ...(failing > 0 ? [t`${counts.channels(failing)} failing`] : []),
      ...(disabled > 0 ? [t`${counts.channels(disabled)} disabled`] : []),
    ].join(', '),
  backup: t`Last backup`,
  noBackup: t`There is none. Run wishwell admin backup.`,
  backupOfPostgres: t`pg_dump backs up a Postgres.`,
  backedUp: (ago: string) => t`Created ${ago}.`,
  backupLacks: (files: readonly string[]) =>
    t`No backup holds ${conjunction(files)} of the data directory: keep a copy of ${plural(files.length, { one: 'it', other: 'them' })} elsewhere.`,
  waiting: t`What waits`,
  backlogNames: {
    jobsQueued: t`Jobs that wait for their account`,
    tasks: t`Open tasks`,
    queueMessages: t`Due in the queue`,
    liveCalls: t`Live calls`,
    deliveries: t`Deliveries`,
    refreshes: t`Requests to read again`,
    unplacedRequests: t`Requests to place in wishes`,
    uncountedTexts: t`Texts to count`,
  },
  judging: (today: number, perDay: number, unanswered: number) =>
    unanswered > 0
      ? t`The model judged ${number(today)} of ${number(perDay)} texts today; ${number(unanswered)} are sent again.`
      : t`The model judged ${number(today)} of ${number(perDay)} texts today.`,
  corrections: t`Corrections and purges`,
  correctionsCount: (requests: number, wishes: number) =>
    t`${plural(requests, { one: '# correction', other: '# corrections' })} of requests, ${number(wishes)} of wishes.`,
  purgesCount: (purges: number, suppressed: number) =>
    t`${plural(purges, { one: '# purge', other: '# purges' })}; ${number(suppressed)} requests and authors are never stored again.`,
  usedThisMonth: t`Used this month`,
  lastSeen: t`Last seen`,
  never: t`never`,

  warnings: t`What to do about this service`,

  platforms: t`Platforms`,
  platformsIntro: t`What is on, what is left of each platform’s limits, and what to do.`,
  isDefault: t`Used by calls that name no platforms.`,
  isNotDefault: t`Used only when it is named.`,
  answered: (when: string) => t`Last answered ${when}.`,
  budget: (remaining: string, limit: string) => t`${remaining} of ${limit} requests left in this window`,
  quota: (remaining: string, limit: string) => t`${remaining} of ${limit} left today`,
  failures: (count: number) => t`${plural(count, { one: '# failure', other: '# failures' })} in a row`,

  jobs: t`Jobs`,
  noJobs: t`No account has started one.`,

  ledger: t`Ledger`,
  ledgerIntro: t`Recomputes every balance of every account from its entries, and checks every rule of the ledger.`,
  verify: t`Verify`,
  verifying: t`Verifying …`,
  sound: t`The ledger is sound: every balance is what its entries say.`,
  unsound: (count: number) =>
    t`The ledger is not sound: ${number(count)} differences. Keep a backup and look into them.`,
  differences: t`Differences`,
  check: t`Check`,
  subject: t`Subject`,
  stored: t`Stored`,
  expected: t`Expected`,
  toPurge: t`Delete requests`,
}
