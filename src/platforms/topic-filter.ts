import { createPauses } from '../runtime/event-loop.ts'
import { type ContextTest, createTopicTest } from './about-topic.ts'
import { addDiscarded } from './content/discarded.ts'
import type { FoundRequest, Page, Platform } from './platform.ts'

export interface TopicFilterOptions {
  /** `PlatformDefinition.contextIsTopic`. */
  contextIsTopic?: ContextTest | undefined
}

/**
 * A platform whose pages join a topic only with requests that are about it. A platform's own search also returns substrings,
 * near-spellings and matches in comments.
 */
export function filterByTopic(platform: Platform, options: TopicFilterOptions = {}): Platform {
  return {
    ...platform,
    fetchPage: async (request) => {
      const page = await platform.fetchPage(request)
      return page && splitPage(page, request.topic, options)
    },
  }
}

/** Other work of the event loop can run between two requests: to compare a hostile text takes milliseconds. */
async function splitPage(page: Page, topic: string, options: TopicFilterOptions): Promise<Page> {
  const isAbout = createTopicTest(topic, options)
  const pause = createPauses()
  const requests: FoundRequest[] = []
  const incomplete = [...(page.incomplete ?? [])]
  const offTopic = [...(page.offTopic ?? [])]
  let offTopicCount = 0
  for (const request of page.requests) {
    if (isAbout(request)) requests.push(request)
    // The rest of its text may have the words.
    else if (request.excerpt) incomplete.push(request)
    else {
      offTopic.push(request)
      offTopicCount++
    }
    await pause()
  }
  const discarded = addDiscarded(page.discarded, { offTopic: offTopicCount })
  return { ...page, requests, incomplete, offTopic, discarded }
}
