import { asFields, asId, asName, type Fields } from '../../content/fields.ts'
import type { Forum } from './forum.ts'

/**
 * The forum and the category of a topic: `forum.obsidian.md: feature requests`. A search names a category only where its name
 * matches too; otherwise the slug of the configured address has to do, because its filter includes no other category.
 * @param categories of the answer.
 */
export function sourceNameOf(forum: Forum, topic: Fields, categories: unknown[]): string {
  const id = asId(topic.category_id)
  const known = categories.map(asFields).find((category) => id !== null && asId(category?.id) === id)
  const category = asName(known?.name) ?? configuredCategory(forum)
  return asName(category === null ? forum.name : `${forum.name}: ${category}`) ?? forum.name
}

function configuredCategory({ part }: Forum): string | null {
  const slug = part?.kind === 'category' ? part.slugs.at(-1) : undefined
  return slug === undefined ? null : slug.replace(/[-_]+/g, ' ').trim()
}
