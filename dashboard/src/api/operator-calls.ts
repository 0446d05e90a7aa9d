import type { NewKey } from './calls.ts'
import { type CallOptions, call, withQuery } from './client.ts'
import type {
  Account,
  ApiKey,
  Difference,
  JobStatus,
  OpenLink,
  OperatorJob,
  PackName,
  Paged,
  PlatformStatus,
  Tier,
  UsageRecord,
} from './types.ts'

// Every call of the operator, one function each.

type Data<T> = { data: T }
type Read = Pick<CallOptions, 'signal'>
const dataOf = async <T>(answer: Promise<Data<T>>): Promise<T> => (await answer).data
const accountPath = (accountId: string) => `/api/admin/accounts/${encodeURIComponent(accountId)}`

export const listAccounts = async ({ signal }: Read): Promise<Account[]> =>
  (await call<Data<{ accounts: Account[] }>>('/api/admin/accounts', { signal })).data.accounts

export interface MadeAccount {
  accountId: string
  name: string
  tier: Tier
  apiKey: string
}

export const makeAccount = (body: { name: string; tier: Tier }, idempotencyKey: string): Promise<MadeAccount> =>
  dataOf(call<Data<MadeAccount>>('/api/admin/accounts', { method: 'POST', body, idempotencyKey }))

export const changeAccount = (accountId: string, body: { tier?: Tier; paygMonthlyCap?: number | null }) =>
  dataOf(call<Data<Account>>(accountPath(accountId), { method: 'PATCH', body }))

export const deleteAccount = (accountId: string) => call<unknown>(accountPath(accountId), { method: 'DELETE' })

export const readAccountUsage = (accountId: string, { signal }: Read): Promise<UsageRecord> =>
  dataOf(call<Data<UsageRecord>>(`${accountPath(accountId)}/usage?days=30`, { signal }))

export const grantPack = (accountId: string, pack: PackName, idempotencyKey: string) =>
  dataOf(
    call<Data<{ paygBalance: number }>>(`${accountPath(accountId)}/packs`, {
      method: 'POST',
      body: { pack },
      idempotencyKey,
    }),
  )

export const listAccountKeys = async (accountId: string, { signal }: Read): Promise<ApiKey[]> =>
  (await call<Data<{ keys: ApiKey[] }>>(`${accountPath(accountId)}/keys`, { signal })).data.keys

export const makeAccountKey = (accountId: string, key: NewKey, idempotencyKey: string) =>
  dataOf(
    call<Data<{ keyId: string; apiKey: string }>>(`${accountPath(accountId)}/keys`, {
      method: 'POST',
      body: key,
      idempotencyKey,
    }),
  )

export const revokeAnyKey = (keyId: string) =>
  call<unknown>(`/api/admin/keys/${encodeURIComponent(keyId)}`, { method: 'DELETE' })

export const listLinks = async (accountId: string, { signal }: Read): Promise<OpenLink[]> =>
  (await call<Data<{ links: OpenLink[] }>>(`${accountPath(accountId)}/links`, { signal })).data.links

export const makeLink = (accountId: string) =>
  dataOf(
    call<Data<{ url: string; expiresAt: string }>>(`${accountPath(accountId)}/links`, { method: 'POST', body: {} }),
  )

export const revokeLinks = (accountId: string) =>
  dataOf(call<Data<{ revoked: number }>>(`${accountPath(accountId)}/links`, { method: 'DELETE' }))

export const endSessions = (accountId: string) =>
  dataOf(call<Data<{ ended: number }>>(`${accountPath(accountId)}/sessions`, { method: 'DELETE' }))

export const readAllPlatforms = async ({ signal }: Read): Promise<PlatformStatus[]> =>
  (await call<Data<{ platforms: PlatformStatus[] }>>('/api/admin/platforms', { signal })).data.platforms

export const listAllJobs = (
  input: { status?: JobStatus | undefined; limit: number; cursor?: string | undefined },
  { signal }: Read,
) => dataOf(call<Data<{ jobs: OperatorJob[] } & Paged>>(withQuery('/api/admin/jobs', { ...input }), { signal }))

export const verify = async (): Promise<Difference[]> =>
  (await call<Data<{ differences: Difference[] }>>('/api/admin/verify')).data.differences

/** What the operator should do while the service goes on. */
export const readWarnings = async ({ signal }: Read): Promise<string[]> =>
  (await call<{ warnings: string[] }>('/readyz', { signal })).warnings
