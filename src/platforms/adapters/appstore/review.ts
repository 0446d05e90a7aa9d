import {
  asDate,
  asFields,
  asId,
  asList,
  asName,
  asString,
  asWebUrl,
  type Fields,
  foundRequest,
} from '../../content/fields.ts'
import type { ItemResult } from '../../content/items.ts'
import { cleanTags, htmlToPlainText, plainText, plainTitle } from '../../content/text.ts'
import type { App } from './source.ts'

const label = (value: unknown): string | null => {
  const text = asFields(value)?.label
  return typeof text === 'number' ? String(text) : asString(text)
}

const attribute = (value: unknown, name: string): string | null =>
  asString(asFields(asFields(value)?.attributes)?.[name])

/** The feed may have one object, a list, or nothing. */
export const listOf = (value: unknown): unknown[] =>
  asList(value) ?? (value === undefined || value === null ? [] : [value])

/** The plain text, if there are two forms. */
function textOf(content: unknown): string {
  const contents = listOf(content)
  const plain = contents.find((one) => attribute(one, 'type') !== 'html')
  return plain === undefined ? htmlToPlainText(label(contents[0]) ?? '') : plainText(label(plain) ?? '')
}

/** Whether an entry is a review: without stars it is the app itself. */
export const isReview = (entry: Fields): boolean => label(entry['im:rating']) !== null

/** 1 to 5; null for anything else. */
function starsOf(entry: Fields): number | null {
  const stars = Number(label(entry['im:rating']))
  return Number.isInteger(stars) && stars >= 1 && stars <= 5 ? stars : null
}

/** When it was written or last edited: the order of the feed. */
export const reviewedAt = (entry: Fields): Date | null => asDate(label(entry.updated))

/** A version is little more than a number, so its tag has no word a topic could match. */
function versionTag(entry: Fields): string[] {
  const version = asName(label(entry['im:version']))
  return version === null ? [] : [`v${version}`]
}

/** Helpful marks are no votes; stars rate the app. @param name of the app, if known @returns null without an id */
export function readReview(entry: Fields, { country, id: app }: App, name: string | null): ItemResult {
  const id = asId(label(entry.id))
  if (id === null) return null
  const author = asFields(entry.author)
  const links = listOf(entry.link).map((link) => asWebUrl(attribute(link, 'href')))
  return foundRequest({
    // Review ids are unique across countries.
    sourceId: `${app}:${id}`,
    sourceUrl: links.find((link) => link !== null) ?? `https://apps.apple.com/${country}/app/id${app}`,
    title: plainTitle(label(entry.title) ?? ''),
    description: textOf(entry.content),
    tags: cleanTags(versionTag(entry)),
    stars: starsOf(entry),
    authorName: asName(label(author?.name)),
    authorProfileUrl: asWebUrl(label(author?.uri)),
    originalCreatedAt: reviewedAt(entry),
    sourceName: name === null ? `App Store ${country}/${app}` : `${name} (App Store ${country})`,
  })
}
