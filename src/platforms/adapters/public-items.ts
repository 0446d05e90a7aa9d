import type { Discarded } from '../../database/column-types.ts'
import { asFields, type Fields } from '../content/fields.ts'

export interface PublicItems {
  items: unknown[]
  discarded: Discarded
}

/** The items of an answer that are public, and how many others there were. */
export function publicItems(answered: readonly unknown[], isHidden: (item: Fields) => boolean): PublicItems {
  const items = answered.filter((item) => {
    const fields = asFields(item)
    return fields === null || !isHidden(fields)
  })
  const hidden = answered.length - items.length
  return { items, discarded: hidden === 0 ? {} : { notPublic: hidden } }
}
