import { plural, t } from '@lingui/core/macro'
import './messages.ts'
import type { MadeByKey } from '../../api/types.ts'
import { conjunction, date, number, usd } from '../../shell/format.ts'
import { counts } from '../counts.ts'

const lastDay = (until: string) => new Date(Date.parse(until) - 1).toISOString().slice(0, 10)

/** How many of each thing a key made. */
const madeCounts = {
  keys: (count) => plural(count, { one: '# key', other: '# keys' }),
  feeds: (count) => plural(count, { one: '# feed', other: '# feeds' }),
  shares: (count) => plural(count, { one: '# shared page', other: '# shared pages' }),
  channels: counts.channels,
  watches: (count) => plural(count, { one: '# watch', other: '# watches' }),
  trackers: (count) => plural(count, { one: '# tracker', other: '# trackers' }),
} satisfies Record<keyof MadeByKey, (count: number) => string>

export const accountTexts = {
  title: t`Account`,
  planAndCredits: t`Plan and credits`,
  plan: t`Plan`,
  tiers: { free: 'Free', pro: 'Pro', max: 'Max' },
  pool: t`Monthly pool`,
  poolUsed: (used: number, limit: number) => t`${number(used)} of ${number(limit)} used`,
  poolTaken: (taken: number, limit: number) => t`${number(taken)} of ${number(limit)} used or held`,
  poolHeld: (held: number) => t`${number(held)} more held by collections under way; what they do not use comes back`,
  poolLeft: (remaining: number, resetsAt: string) => t`${number(remaining)} left; renews on ${resetsAt}`,
  free: t`Not metered: no call costs credits.`,
  payg: t`Pay-as-you-go`,
  noCap: t`no monthly cap; used when the pool is empty`,
  cap: (credits: string) => t`at most ${credits} a month; used when the pool is empty`,
  rateLimit: (limit: number) => t`API limit: ${number(limit)} calls a minute. What you do on this page does not count.`,
  packs: t`Packs`,
  packNames: { starter: 'Starter', standard: 'Standard', bulk: 'Bulk' },
  packCredits: (credits: number) => counts.credits(credits),
  price: usd,
  packsAdvice: t`Packs never expire. Ask your operator for one: it is added to your account at once.`,

  usage: t`Usage`,
  usageTitle: (days: number) => t`Credits charged by day, the last ${days} days (UTC)`,
  day: t`Day`,
  spenders: t`Who used the credits`,
  period: t`Period (UTC)`,
  periods: { thisMonth: t`This month`, lastMonth: t`Last month`, thisWeek: t`This week`, lastWeek: t`Last week` },
  usedIn: (credits: number, from: string, until: string) =>
    t`${counts.credits(credits)} from ${date(from.slice(0, 10))} to ${date(lastDay(until))}, running collections included.`,
  byKey: t`Used, by key`,
  byWatch: t`Of which, by watch`,
  credits: t`Credits`,
  watch: t`Watch`,
  ofPage: t`this page, signed in by a link`,
  collections: t`Collections of this period`,
  noCollections: t`Nothing was collected.`,
  reserved: t`Held`,
  charged: t`Charged`,
  returned: t`Returned`,
  stillHeld: (credits: number) => t`${number(credits)} still held`,
  byWatchOf: (name: string) => t`watch ${name}`,
  goneWatch: t`a watch that was removed`,
  operations: { scrape: t`Collections`, expand: t`Expanded searches`, realtime: t`Live lists`, pack: t`Pack` },

  keys: t`API keys`,
  keysIntro: t`Give each program a key of its own that can do no more than it needs, and revoke what is no longer used.`,
  keyName: t`Name`,
  keyNamePlaceholder: t`what it is for`,
  keyNameFault: t`A key needs a name.`,
  makeKey: t`Create a key`,
  makingKey: t`Creating …`,
  madeKey: t`Here is the key.`,
  madeKeyAdvice: t`Copy it now: it is shown only once.`,
  scope: t`What it may do`,
  scopes: { read: t`Read`, collect: t`Collect`, manage: t`Manage` },
  scopeNotes: {
    read: t`Search and read what is stored. It spends nothing.`,
    collect: t`Also spend credits, make watches and correct what you see.`,
    manage: t`Everything, keys and channels included.`,
  },
  expiry: t`Expires`,
  expires: t`Expires`,
  neverExpires: t`Never`,
  inDays: (days: number) => t`After ${plural(days, { one: '# day', other: '# days' })}`,
  expired: t`expired`,
  keyBudget: t`Budget, credits a month`,
  keyBudgetPlaceholder: t`no limit of its own`,
  keyBudgetFault: t`A whole number, or nothing.`,
  usedThisMonth: t`Used this month`,
  usedOf: (used: string, limit: string) => t`${used} of ${limit}`,
  keyBegins: t`Begins with`,
  keyMade: t`Created`,
  keyUsed: t`Last used`,
  never: t`never`,
  revoke: t`Revoke`,
  revokeLabel: (name: string) => t`Revoke the key ${name}`,
  revokeQuestion: t`Revoke it permanently?`,
  revokeConfirm: t`Yes, revoke it`,
  revokeAll: ({ watches, ...others }: MadeByKey) => {
    if (watches.length === 0) return t`Revoke it and end everything it created`
    const isOnlyWatches = Object.values(others).every((things) => things.length === 0)
    return isOnlyWatches ? t`Revoke it and stop its watches` : t`Revoke it, stop its watches and end the rest`
  },
  made: (made: MadeByKey) => {
    const kinds = (Object.keys(madeCounts) as (keyof MadeByKey)[]).filter((kind) => made[kind].length > 0)
    return t`It created ${conjunction(kinds.map((kind) => madeCounts[kind](made[kind].length)))}:`
  },
  revoked: (when: string) => t`revoked ${when}`,

  keyTable: t`All keys`,
  statement: t`Statement`,
  entries: t`Transactions`,
  noEntries: t`No credits have moved yet.`,
  when: t`When`,
  what: t`What`,
  who: t`By`,
  nothingCharged: t`Nothing charged`,
  poolChange: t`Pool used`,
  paygChange: t`Pay-as-you-go`,
  kinds: { reserve: t`Held`, settle: t`Charged`, release: t`Given back`, grant: t`Added` },
  moved: (kind: string, credits: number) => `${kind} ${number(credits)}`,
  toJob: t`Collection`,
}
