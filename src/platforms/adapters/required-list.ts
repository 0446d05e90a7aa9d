import { asList } from '../content/fields.ts'
import { PlatformError } from '../platform.ts'

export interface RequiredList {
  /** The name of the platform or host in messages. */
  label: string
  /** What the list holds, in the plural. */
  items: string
  /** The environment variable with the address that the operator should check. */
  variable: string
  /** A sentence for a reader who cannot change that variable. */
  advice?: string
}

/**
 * The list that an answer must hold.
 * @throws PlatformError `bad_response` when the value is no list.
 */
export function requiredList(
  value: unknown,
  { label, items, variable, advice = `Check ${variable}.` }: RequiredList,
): unknown[] {
  const list = asList(value)
  if (list) return list
  throw new PlatformError('bad_response', `${label} answered without a list of ${items}. ${advice}`)
}
