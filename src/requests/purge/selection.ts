import { Type } from 'typebox'
import { oneOf, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { platformNames } from '../../platforms/registry.ts'
import { identitiesOfAuthor, identitiesOfUrl } from '../store/identity.ts'

/** The fields by which a body names what is purged, or lifted again. */
export const selectionFields = {
  // Every platform, on or not: what was collected of one that is off is still here.
  platform: Type.Optional(oneOf(platformNames, { description: 'Only what is from there' })),
  url: Type.Optional(
    trimmedText(
      1,
      2_000,
      'Where it was posted; scheme, `www.`, closing slash, fragment and order of parameters do not count',
    ),
  ),
  author: Type.Optional(
    trimmedText(1, 500, 'A handle (`@ada` or `ada`), a whole name, in any case, or the address of a profile'),
  ),
}

export const purgeId = Type.String({ description: 'What the suppression is lifted by' })

/**
 * Refuses more than one of the fields that exclude each other, and none of them where one is required.
 * @throws ServiceError INVALID_REQUEST
 */
export function requireOne(body: Record<string, unknown>, exclusive: readonly string[], isRequired: boolean): void {
  const [first, second] = exclusive.filter((field) => body[field] !== undefined)
  if (second !== undefined) throw invalidField(second, `cannot be combined with ${first}`)
  if (isRequired && first === undefined) throw invalidField('', `name one of ${exclusive.join(', ')}`)
}

/** Refuses an address or an author that nothing could be recognised by. @throws ServiceError INVALID_REQUEST */
export function requireComparable({ url, author }: { url?: string; author?: string }): void {
  if (url !== undefined && identitiesOfUrl(url).length === 0) {
    throw invalidField('url', 'must be a web address, https://…')
  }
  if (author !== undefined && identitiesOfAuthor(author).length === 0) {
    throw invalidField('author', 'must be a handle, a name or the address of a profile')
  }
}
