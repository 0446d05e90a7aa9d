import { unescapeText } from '../../content/escaped-text.ts'
import { asFields, asList, asString, asWebUrl, type Fields } from '../../content/fields.ts'
import { plainText } from '../../content/text.ts'

const shortLink = /https?:\/\/t\.co\/\w+/gi
/** What stands for a picture or a film of the post itself. */
const mediaAddress = /^https?:\/\/(?:twitter|x)\.com\/\w+\/status\/\d+\/(?:photo|video)\/\d+$/i

/**
 * The text of a post, the whole of a long one. X shortens every link to `t.co`: the description has the address that it leads to,
 * and nothing for a picture of the post. A text of unknown links alone is none.
 */
export function readXText(post: Fields, note: Fields | null): { description: string; withoutLinks: string } {
  const text = unescapeText(asString(note?.text) || asString(post.text) || '')
  const addresses = new Map([...linksOf(post), ...linksOf(note)])
  const written = text.replace(shortLink, (link) => addresses.get(link) ?? link)
  const withoutLinks = plainText(text.replace(shortLink, '').replace(/ {2,}/g, ' '))
  const hasOnlyUnknownLinks = withoutLinks === '' && plainText(written.replace(shortLink, '')) === ''
  return { description: hasOnlyUnknownLinks ? '' : plainText(written), withoutLinks }
}

/** Each short link of a text with the address that a reader sees in its place. */
function linksOf(text: Fields | null): [string, string][] {
  return (asList(asFields(text?.entities)?.urls) ?? []).flatMap((entity) => {
    const fields = asFields(entity)
    const link = asString(fields?.url)
    const address = asWebUrl(fields?.unwound_url) ?? asWebUrl(fields?.expanded_url)
    if (link === null || address === null) return []
    const isMedia = mediaAddress.test(address) || typeof fields?.media_key === 'string'
    return [[link, isMedia ? '' : address] as [string, string]]
  })
}
