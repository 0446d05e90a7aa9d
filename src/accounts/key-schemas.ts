import { type Static, Type } from 'typebox'
import { keyScopes } from '../database/column-types.ts'
import type { Executor, Transaction } from '../database/open.ts'
import { dateParameter, parseDate } from '../http/dates.ts'
import { named } from '../http/openapi-components.ts'
import { type PageInput, pageOf, pageOfShort } from '../http/pagination.ts'
import { closed, defaulted, moment, nullable, oneOf, trimmedText } from '../http/schemas.ts'
import { invalidField } from '../http/validation.ts'
import { listKeys, makeKey, maxActiveKeys } from './account-keys.ts'
import { type KeyTerms, shownScope } from './keys.ts'
import { endedWords, madeByKey } from './made-by-key.ts'

// Schemas and answers shared by the key routes of accounts and operator.

const scopeDescription =
  'What it may do: `read` what is stored; `collect`: spend credits and correct what the account sees, too; `manage` its keys and ' +
  'channels, too'

const keyProperties = {
  keyId: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'The first characters of the key' }),
  scope: oneOf(keyScopes, { description: scopeDescription }),
  createdAt: moment('When it was made'),
  feedbackOnly: Type.Boolean({ description: 'It sends feedback, and may not even read' }),
  expiresAt: nullable(moment('From then on it opens nothing; null: never')),
  revokedAt: nullable(moment('When it was revoked; null if it was not')),
  lastUsedAt: nullable(moment('When it was last used, to within ten minutes; null when never')),
  monthlyCredits: nullable(
    Type.Integer({ description: 'The budget of a UTC month, of it and the keys that it made together; null for none' }),
  ),
  usedThisMonth: Type.Integer({
    description: 'The credits that it used in this UTC month, held ones included; with a budget those that count in it',
  }),
  madeBy: nullable(
    Type.String({
      description: 'The `keyId` of the key that made it; null for the operator and for a session that no key opened',
    }),
  ),
}
export const newKey = closed({
  name: trimmedText(1, 100, 'For people; need not be unique'),
  scope: Type.Optional(oneOf(keyScopes, { description: `${scopeDescription}. By default \`manage\`` })),
  feedbackOnly: Type.Optional(
    Type.Boolean({ description: 'It may send feedback (`sendFeedback`) and nothing else, whatever `scope` says' }),
  ),
  expiresAt: Type.Optional(dateParameter('From then on it opens nothing, without it never')),
  monthlyCredits: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 31 - 1,
      description:
        'The maximum of credits that it may use in a UTC month, held ones included; without it, what the account has',
    }),
  ),
})
export const madeKey = closed(
  { ...keyProperties, apiKey: Type.String({ description: 'Shown this once' }) },
  named('NewApiKey'),
)
export const revokedKey = closed({ keyId: Type.String(), ended: madeByKey })
export const madeAnswer = madeByKey
export const revocation = closed({
  withMade: defaulted(
    Type.Boolean({
      default: false,
      description: `Whether all that it made, and what its keys made, ends with it: ${endedWords}; watches stop until somebody resumes them`,
    }),
  ),
})
export const keyList = pageOf(closed(keyProperties, named('ApiKey')))
export const keyPath = closed({ keyId: Type.String() })
export const madeDescription = `An account has at most ${maxActiveKeys} active keys; one more is a 409.`

/** Reads a new key's name and terms. @throws ServiceError INVALID_REQUEST if its expiry has passed */
export function readNewKey(
  { name, scope, feedbackOnly, expiresAt, monthlyCredits }: Static<typeof newKey>,
  now: Date,
): KeyTerms & { name: string } {
  const expiry = expiresAt === undefined ? null : parseDate(expiresAt)
  if (expiry !== null && expiry <= now) throw invalidField('expiresAt', 'must be in the future')
  return {
    name,
    scope: feedbackOnly ? 'feedback' : (scope ?? 'manage'),
    expiresAt: expiry,
    monthlyCredits: monthlyCredits ?? null,
  }
}

const describeKey = (row: Awaited<ReturnType<typeof listKeys>>[number]) => ({
  ...row,
  scope: shownScope(row.scope),
  feedbackOnly: row.scope === 'feedback',
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
})

/** The answer for a new key. @throws ServiceError as `makeKey` */
export async function answerMadeKey(transaction: Transaction, input: Parameters<typeof makeKey>[1]) {
  const { keyId, apiKey } = await makeKey(transaction, input)
  const made = (await listKeys(transaction, input.accountId, input.now)).find((one) => one.keyId === keyId)
  return { data: { ...describeKey(made!), apiKey } }
}

/** The answer for a list of keys. */
export async function answerKeys(
  executor: Executor,
  { accountId, now, ...page }: PageInput & { accountId: string; now: Date },
) {
  const rows = await listKeys(executor, accountId, now)
  const keys = rows.map(describeKey)
  const positionOf = ({ revokedAt, expiresAt, createdAt, keyId }: (typeof keys)[number]) => {
    const hasEnded = revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= now.getTime())
    return `${hasEnded ? 'ended' : 'active'} ${createdAt} ${keyId}`
  }
  return { data: pageOfShort(keys, page, { list: 'keys', positionOf }) }
}
