import { Type } from 'typebox'
import type { Executor } from '../database/open.ts'
import { closed, moment, nullable, trimmedText } from '../http/schemas.ts'
import { listKeys, maxActiveKeys } from './account-keys.ts'

// The schemas and answers that the key routes of accounts and of the operator share.

const key = closed({
  keyId: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'The first characters of the key' }),
  createdAt: moment('When it was made'),
  revokedAt: nullable(moment('When it was revoked; null while it is active')),
  lastUsedAt: nullable(moment('When it was last used, to within ten minutes; null when never')),
})
export const newKey = closed({ name: trimmedText(1, 100, 'For people; need not be unique') })
export const madeKey = closed({
  data: closed({ keyId: Type.String(), apiKey: Type.String({ description: 'Shown this once' }) }),
})
export const revokedKey = closed({ data: closed({ keyId: Type.String() }) })
export const keyList = closed({ data: closed({ keys: Type.Array(key) }) })
export const keyPath = closed({ keyId: Type.String() })
export const madeDescription = `An account has at most ${maxActiveKeys} active keys; one more is a 409.`

/** The answer of a list of keys. */
export async function answerKeys(executor: Executor, accountId: string) {
  const rows = await listKeys(executor, accountId)
  const keys = rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }))
  return { data: { keys } }
}
