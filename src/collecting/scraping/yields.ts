import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { PlatformYield, ReadYields } from '../../platforms/status.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import { stemInOneSpelling } from '../../runtime/text/spellings.ts'
import { tellingWords } from '../../runtime/text/words.ts'

/** Only the latest collections count: what a platform gave a year ago says little. */
const maxJobs = 300
/** Fewer pages say nothing about a kind of topic. */
const minPages = 3

interface TaskRow {
  topic: string
  platform: string
  pages: number
  found: number
  likely: number
}

const stemsOf = (topic: string): Set<string> => new Set(tellingWords(topic).map(stemInOneSpelling))

/**
 * What each platform gave an account: for topics that share a word with this one, or for all if those had fewer than
 * three pages. Only a topic's first collection counts, and no watch runs: later ones find known requests.
 */
export const createYields =
  (executor: Executor): ReadYields =>
  async (accountId, topic) => {
    // By time, so that a topic's first collection is kept.
    const { rows } = await sql<TaskRow>`
      select job.topic, task.platform, task.pages, task.requests_found as found, task.requests_created as likely
      from (select id, topic, created_at from scrape_jobs
        where ${accountId === null ? sql`account_id is not null` : sql`account_id = ${accountId}::uuid`}
          and watch_id is null and newest_since is null
        order by created_at desc, id desc limit ${maxJobs}) as job
      join scrape_tasks as task on task.job_id = job.id
      where task.pages > 0 order by job.created_at, job.id`.execute(executor)
    const first = new Map<string, TaskRow>()
    for (const row of rows) {
      const key = `${row.platform} ${topicKey(row.topic)}`
      if (!first.has(key)) first.set(key, row)
    }
    const stems = topic === undefined ? null : stemsOf(topic)
    const yields = new Map<string, PlatformYield>()
    for (const [platform, all] of Map.groupBy(first.values(), (row) => row.platform)) {
      const alike = stems === null ? [] : all.filter((row) => [...stemsOf(row.topic)].some((stem) => stems.has(stem)))
      const isAlike = alike.reduce((pages, row) => pages + row.pages, 0) >= minPages
      yields.set(platform, { isOfAlikeTopics: isAlike, ...sumOf(isAlike ? alike : all) })
    }
    return yields
  }

function sumOf(rows: readonly TaskRow[]): Omit<PlatformYield, 'isOfAlikeTopics'> {
  const sum = (value: (row: TaskRow) => number) => rows.reduce((total, row) => total + value(row), 0)
  const [pages, likely] = [sum((row) => row.pages), sum((row) => row.likely)]
  return {
    topics: rows.length,
    pages,
    found: sum((row) => row.found),
    likely,
    // A page costs one credit.
    creditsPerWish: likely === 0 ? null : Math.round((pages / likely) * 100) / 100,
  }
}
