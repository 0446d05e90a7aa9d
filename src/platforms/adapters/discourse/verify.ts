import { asFields, asId, asList, type Fields } from '../../content/fields.ts'
import { SourceRefusedError } from '../../platform.ts'
import { checkSource } from '../source-check.ts'
import type { Forum } from './forum.ts'

/** Sends `GET <path>` to the forum. @returns the JSON body */
export type ReadForum = (path: string) => Promise<unknown>

/** Reads anonymously: only public parts answer. @throws SourceRefusedError; PlatformError if unclear for now */
export async function verifyForum(forum: Forum, label: string, read: ReadForum): Promise<void> {
  await checkSource(async () => {
    const isPublic = await findPart(forum, read)
    if (!isPublic) throw new SourceRefusedError(`${label} has no such public category or tag.`)
  })
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
