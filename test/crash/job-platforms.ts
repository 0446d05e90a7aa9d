import type { Page } from '../../src/platforms/platform.ts'
import { numberedPages, platformMap, type Script, scriptedPlatform } from '../scripted-platform.ts'

/** The statement with which jobs.service.test.ts waits, and which is no step of a job. */
export const countUnended = 'select count(*)::integer as tasks from scrape_tasks where completed_at is null'

/** Every topic has requests of its own: storing known requests takes fewer statements. */
const pagesOfTopic =
  (pages: number): Script =>
  (call, request) => {
    const page = numberedPages(pages, 2)(call, request) as Page
    const ofTopic = (text: string) => `${request.topic} ${text}`
    return {
      ...page,
      requests: page.requests.map((found) => ({
        ...found,
        sourceId: ofTopic(found.sourceId),
        title: ofTopic(found.title),
      })),
    }
  }
/** What the jobs of jobs.service.test.ts collect from. */
export const jobPlatforms = platformMap(
  scriptedPlatform('github', pagesOfTopic(3)),
  scriptedPlatform('hackernews', pagesOfTopic(1)),
)
