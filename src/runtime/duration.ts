import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv'
import { Type } from 'typebox'

const millisecondsOf = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const nameOf = { ms: 'milliseconds', s: 'seconds', m: 'minutes', h: 'hours', d: 'days' } satisfies Record<Unit, string>

type Unit = keyof typeof millisecondsOf

/** Milliseconds of `250ms`, `30s`, `15m`, `6h` or `7d`; null for other text. @param bareUnit unit of a bare number */
export function parseDuration(text: string, bareUnit: Unit): number | null {
  const [, number, unit = bareUnit] = /^(\d{1,9})(ms|[smhd])?$/.exec(text) ?? []
  return number === undefined ? null : Number(number) * millisecondsOf[unit as Unit]
}

interface DurationRule {
  /** Unit of a bare number: the last part of the variable's name. */
  bareUnit: Unit
  minimum: string
  maximum: string
}

/** A duration variable; `durationKeyword` converts it to milliseconds. */
export const duration = (rule: DurationRule, fallback: string, meaning: string) =>
  Type.Unsafe<number>(Type.String({ 'x-duration': rule, default: fallback, description: meaning }))

/** @returns milliseconds within bounds, or the fault */
function readDuration({ bareUnit, minimum, maximum }: DurationRule, text: string): number | string {
  const milliseconds = parseDuration(text, bareUnit)
  const isWithin =
    milliseconds !== null &&
    milliseconds >= parseDuration(minimum, bareUnit)! &&
    milliseconds <= parseDuration(maximum, bareUnit)!
  if (isWithin) return milliseconds
  return `must be a duration from ${minimum} to ${maximum}, a whole number with ms, s, m, h or d; without a unit it is in ${nameOf[bareUnit]}`
}

/** Ajv keyword that replaces a `duration` text by its milliseconds. */
export const durationKeyword: FuncKeywordDefinition = {
  keyword: 'x-duration',
  type: 'string',
  modifying: true,
  errors: true,
  validate: function validate(rule: DurationRule, text: string, _schema, context): boolean {
    const read = readDuration(rule, text)
    if (typeof read === 'string') {
      ;(validate as SchemaValidateFunction).errors = [{ keyword: 'x-duration', message: read, params: {} }]
      return false
    }
    context!.parentData[context!.parentDataProperty] = read
    return true
  },
}
