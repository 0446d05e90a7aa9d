import type { Corpus } from '../corpus.ts'
import { type Answer, jsonAnswer } from '../platform-shape.ts'
import { category, discourseTopicPage } from './discourse-item.ts'
import { shownRecord } from './shown-records.ts'

/** Read by moderators; a forum with a plugin shows it to all, with its mark. */
const hiddenCategory = { id: 98, name: 'Moderators', slug: 'moderators' }
/** Read by members. */
const privateCategoryId = '99'
const knownTag = 'feature-request'

const paths = /^\/([a-z]+)\/(?:(t)\/(\d+)\.json|(c)\/(\d+)\/show\.json|(tag)\/([^/]+)\.json|(site)\.json)$/

/** Whether a path is the page of a topic, category, tag or site: these are no searches, and outside their limit. */
export const isRead = (path: string): boolean => paths.test(path)

function notFound(): Answer {
  const errors = ['The requested URL or resource could not be found.']
  return jsonAnswer(404, { errors, error_type: 'not_found' })
}

const categories = [
  { ...category, read_restricted: false },
  { ...hiddenCategory, read_restricted: true },
]

export function discourseReads(path: string, corpus: Corpus, isNew: boolean): Answer {
  const [, forum = '', , topic, , categoryId, , tag, site] = paths.exec(path) ?? []
  if (forum.startsWith('nosuch')) return notFound()
  if (topic !== undefined) {
    const record = shownRecord(corpus, `discourse/${forum}`, topic)
    return record ? jsonAnswer(200, discourseTopicPage(record, isNew)) : notFound()
  }
  if (site !== undefined) return jsonAnswer(200, { categories, default_archetype: 'regular' })
  if (tag !== undefined)
    return tag === knownTag ? jsonAnswer(200, { users: [], topic_list: { topics: [] } }) : notFound()
  if (categoryId === privateCategoryId) {
    return jsonAnswer(403, { errors: ['You are not permitted to view this.'], error_type: 'invalid_access' })
  }
  const found = categories.find(({ id }) => String(id) === categoryId)
  return found ? jsonAnswer(200, { category: found }) : notFound()
}
