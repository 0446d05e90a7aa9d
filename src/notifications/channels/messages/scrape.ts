import { sql } from 'kysely'
import { counted } from '../../../accounts/events/message.ts'
import { jobLink } from '../../../http/addresses.ts'
import { isId } from '../../../http/ids.ts'
import type { Renderer } from './renderer.ts'
import { idIn } from './words.ts'

interface JobRow {
  topic: string
  found: number
  created: number
  failed: number
}

/** A scrape job that has ended, with the numbers of its tasks. */
export const renderScrape: Renderer = async ({ executor, accountId, event: { type, subject }, publicUrl }) => {
  const jobId = idIn(subject, 'jobId')
  if (jobId === null || !isId(jobId)) return null
  const { rows } = await sql<JobRow>`
    select topic, (coalesce(sum(requests_found), 0))::integer as found, (coalesce(sum(requests_created), 0))::integer as created,
      count(*) filter (where scrape_tasks.state = 'error')::integer as failed
    from scrape_jobs left join scrape_tasks on job_id = scrape_jobs.id
    where scrape_jobs.id = ${jobId} and account_id = ${accountId} group by scrape_jobs.id`.execute(executor)
  const job = rows[0]
  if (!job) return null
  const isFailed = type === 'scrape.failed'
  const numbers = `${counted(job.found, 'request')}, ${job.created.toLocaleString('en-US')} of them new.`
  const failures = job.failed === 0 ? [] : [`${counted(job.failed, 'platform')} failed.`]
  return {
    title: isFailed ? `Collecting failed: ${job.topic}` : `Collected: ${job.topic}`,
    paragraphs: [numbers, ...failures],
    sections: [],
    link: { label: 'Open the job', url: jobLink(publicUrl, jobId) },
    data: {
      jobId,
      watchId: idIn(subject, 'watchId'),
      topic: job.topic,
      status: isFailed ? 'failed' : 'completed',
      requestsFound: job.found,
      requestsCreated: job.created,
      platformsFailed: job.failed,
    },
  }
}
