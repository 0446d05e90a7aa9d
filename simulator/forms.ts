/** What a form is filled with. An `undefined` value leaves its field out. */
export type Values = Readonly<Record<string, unknown>>

/** A wire form that is read once and filled for each record. */
export type Form = (values?: Values) => unknown

const placeholders = /\$\{(\w+)\}/g
const onlyPlaceholder = /^\$\{(\w+)\}$/

function lookUp(values: Values, name: string): unknown {
  if (!(name in values)) throw new Error(`a form wants a value for ${name}`)
  return values[name]
}

/** A text with the values in the places of their names, `${name}`. */
export const fillText = (text: string, values: Values): string =>
  text.replace(placeholders, (_, name: string) => String(lookUp(values, name)))

/**
 * Reads a form: JSON as a platform writes it, with `${name}` where a value belongs. A string that is nothing but one name becomes the
 * value itself, of whatever type.
 */
export function readForm(form: unknown): Form {
  if (typeof form === 'string') {
    const name = onlyPlaceholder.exec(form)?.[1]
    if (name !== undefined) return (values = {}) => lookUp(values, name)
    return form.includes('${') ? (values = {}) => fillText(form, values) : () => form
  }
  if (typeof form !== 'object' || form === null) return () => form
  if (Array.isArray(form)) {
    const items = form.map(readForm)
    return (values) => items.map((item) => item(values))
  }
  const fields = Object.entries(form).map(([name, value]) => [name, readForm(value)] as const)
  return (values) => Object.fromEntries(fields.map(([name, value]) => [name, value(values)]))
}

/** The forms of a platform by their names. */
export const readForms = <Name extends string>(forms: Record<Name, unknown>): Record<Name, Form> =>
  Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, readForm(form)])) as Record<Name, Form>
