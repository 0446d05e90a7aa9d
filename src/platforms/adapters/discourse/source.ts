import { asFields, asId, asList, type Fields } from '../../content/fields.ts'
import type { SourceKind } from '../../definition.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'
import { type Forum, readForum } from './forum.ts'

/** Sends `GET <path>` to the forum. @returns the JSON body. */
type ReadForum = (path: string) => Promise<unknown>

/** The errors that say that an address holds no public Discourse forum; others say nothing about it. */
const refusals = new Set(['unauthorized', 'bad_response'])

/**
 * Checks that a forum, category or tag exists and is public: an anonymous caller gets only what is public,
 * and a category says so itself (`read_restricted`).
 * @throws SourceRefusedError, PlatformError when that cannot be known now.
 */
export async function verifyForum(forum: Forum, label: string, read: ReadForum): Promise<void> {
  try {
    const isPublic = await findPart(forum, read)
    if (!isPublic) throw new SourceRefusedError(`${label} has no such public category or tag.`)
  } catch (error) {
    if (!(error instanceof PlatformError) || !refusals.has(error.code) || error.retryAt) throw error
    throw error instanceof SourceRefusedError ? error : new SourceRefusedError(error.message)
  }
}

async function findPart({ part }: Forum, read: ReadForum): Promise<boolean> {
  if (part?.kind === 'tag') {
    return (
      asList(asFields(asFields(await read(`/tag/${encodeURIComponent(part.tag)}.json`))?.topic_list)?.topics) !== null
    )
  }
  if (part?.id) return isOpen(asFields(asFields(await read(`/c/${part.id}/show.json`))?.category))
  const categories = asList(asFields(await read('/site.json'))?.categories)
  if (part === null || categories === null) return categories !== null
  return isOpen(categoryBySlugs(categories.map(asFields), part.slugs))
}

const isOpen = (category: Fields | null): boolean => category !== null && category.read_restricted === false

function categoryBySlugs(categories: Array<Fields | null>, slugs: readonly string[]): Fields | null {
  const [parentSlug, slug = parentSlug] = slugs
  return (
    categories.find((category) => {
      if (category?.slug !== slug) return false
      if (slugs.length < 2) return true
      const parent = categories.find((one) => one !== null && asId(one.id) === asId(category?.parent_category_id))
      return parent?.slug === parentSlug
    }) ?? null
  )
}

const addressLimit = 300
/** Pages of a forum that list topics of all categories: they name the whole forum. */
const overviews = /\/(?:latest|categories|top|hot|new|search)\/*$/
/** Pages that are neither a forum nor a part of one: topics, people, groups, messages. */
const others = /\/(?:t|u|g|p|users?|groups?|tags|my|admin)(?:\/|$)/

/** A forum, a category or a tag, as the address of its page. */
export const discourseSources: SourceKind = {
  form: 'the address of a forum, or of a category (/c/…) or tag (/tag/…) of it',
  example: 'https://forum.example/c/ideas/5',
  normalise(text) {
    const trimmed = text.trim()
    const address = /^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
    if (address.length > addressLimit || !URL.canParse(address)) return null
    const url = new URL(address)
    // With or without the dot of a fully qualified name it is one host.
    url.hostname = url.hostname.replace(/\.$/, '')
    const path = url.pathname.replace(/\/{2,}/g, '/').replace(overviews, '/')
    const isForum = url.hostname.includes('.') || url.hostname === 'localhost'
    if (!isForum || url.username !== '' || url.password !== '') return null
    const { baseUrl, part } = readForum(`${url.origin}${path}`)
    const isPart = /\/(?:c|tag)\//.test(path)
    if (part === null) return isPart || others.test(path) ? null : withinLimit(baseUrl)
    if (part.kind === 'tag') return withinLimit(`${baseUrl}/tag/${encodeURIComponent(part.tag)}`)
    const slugs = part.slugs.length === 0 && part.id !== null ? ['-'] : part.slugs
    return withinLimit([baseUrl, 'c', ...slugs.map(encodeURIComponent), ...(part.id ? [part.id] : [])].join('/'))
  },
}

const withinLimit = (address: string): string | null => (address.length > addressLimit ? null : address)
