import type { SourceKind } from '../../definition.ts'
import { addressLimit, siteAddress } from '../site-address.ts'
import { readForum } from './forum.ts'

/** Pages listing topics of all categories: they mean the whole forum. */
const overviews = /\/(?:latest|categories|top|hot|new|search)\/*$/
/** Pages that are neither a forum nor part of one: topics, people, groups, messages. */
const others = /\/(?:t|u|g|p|users?|groups?|tags|my|admin)(?:\/|$)/

/** A forum, category or tag, by its page's address. */
export const discourseSources: SourceKind = {
  form: 'the address of a forum, or of a category (/c/…) or tag (/tag/…) of it',
  example: 'https://forum.example/c/ideas/5',
  normalise(text) {
    const url = siteAddress(text)
    if (url === null) return null
    const path = url.pathname.replace(/\/{2,}/g, '/').replace(overviews, '/')
    const { baseUrl, part } = readForum(`${url.origin}${path}`)
    const isPart = /\/(?:c|tag)\//.test(path)
    if (part === null) return isPart || others.test(path) ? null : withinLimit(baseUrl)
    if (part.kind === 'tag') return withinLimit(`${baseUrl}/tag/${encodeURIComponent(part.tag)}`)
    const slugs = part.slugs.length === 0 && part.id !== null ? ['-'] : part.slugs
    return withinLimit([baseUrl, 'c', ...slugs.map(encodeURIComponent), ...(part.id ? [part.id] : [])].join('/'))
  },
}

const withinLimit = (address: string): string | null => (address.length > addressLimit ? null : address)
