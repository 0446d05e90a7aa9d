import { type Answer, jsonAnswer, readAnswers } from '../answers.ts'
import type { Corpus } from '../corpus.ts'
import written from './discourse.json' with { type: 'json' }
import { category, discourseTopicPage } from './discourse-item.ts'
import { shownRecord } from './shown-records.ts'

const { notFound, notPermitted, tagPage } = readAnswers(written.answers)
/** Read by members. */
const privateCategoryId = '99'
const knownTag = 'feature-request'
/** The second is read by moderators; a forum with a plugin shows it to all, with its mark. */
const categories = [
  { ...category, read_restricted: false },
  { id: 98, name: 'Moderators', slug: 'moderators', read_restricted: true },
]

const paths =
  /^\/(?<forum>[a-z]+)\/(?:t\/(?<topic>\d+)\.json|c\/(?<categoryId>\d+)\/show\.json|tag\/(?<tag>[^/]+)\.json|site\.json)$/

/** Whether a path is the page of a topic, category, tag or site: these are no searches, and outside their limit. */
export const isRead = (path: string): boolean => paths.test(path)

export function discourseReads(path: string, corpus: Corpus, isNew: boolean): Answer {
  const { forum = '', topic, categoryId, tag } = paths.exec(path)?.groups ?? {}
  if (forum.startsWith('nosuch')) return notFound()
  if (topic !== undefined) {
    const record = shownRecord(corpus, `discourse/${forum}`, topic)
    return record ? jsonAnswer(200, discourseTopicPage(record, isNew)) : notFound()
  }
  if (tag !== undefined) return tag === knownTag ? tagPage() : notFound()
  if (categoryId === undefined) return jsonAnswer(200, { categories, default_archetype: 'regular' })
  if (categoryId === privateCategoryId) return notPermitted()
  const found = categories.find(({ id }) => String(id) === categoryId)
  return found ? jsonAnswer(200, { category: found }) : notFound()
}
