import { sql } from 'kysely'
import type { EventType } from '../../../accounts/events/events.ts'
import { counted } from '../../../accounts/events/message.ts'
import { accountLink, jobLink, wishLink } from '../../../http/addresses.ts'
import { isId } from '../../../http/ids.ts'
import { titleOf } from '../../../platforms/registry.ts'
import { readRequests } from '../../../requests/record.ts'
import type { View } from '../../../requests/view.ts'
import { readWishIds } from '../../../requests/wish-numbers/numbers.ts'
import { withStars } from '../../../wishes/wish-words.ts'
import { type DisabledReason, disabledReasons } from '../adapter.ts'
import { type NewsRendering, renderNews, renderRising } from './news.ts'
import { idIn, numberIn, type RenderEvent, type Renderer, statusLabel, untitled } from './renderer.ts'
import { renderAsks, renderSkipped } from './watch.ts'

/** A request whose status changed on its platform, as the account sees it; null if no longer visible. */
const renderStatusChange: Renderer = async ({ executor, accountId, event: { subject }, publicUrl }) => {
  const requestId = idIn(subject, 'requestId')
  if (requestId === null || !isId(requestId)) return null
  const view: View = { account: accountId, least: 2 }
  const [request] = await readRequests(executor, [requestId], { fullText: false, view })
  if (!request) return null
  const wishId = (await readWishIds(executor, [requestId], view)).get(requestId) ?? requestId
  const [status, previousStatus] = [idIn(subject, 'status'), idIn(subject, 'previousStatus')]
  const title = request.title.trim() === '' ? untitled : request.title
  const link = wishLink(publicUrl, wishId)
  const detail = `${withStars(counted(request.votes, 'vote'), request.stars)} · ${titleOf(request.sourcePlatform)}`
  return {
    title: `A request is ${statusLabel(status)} now`,
    paragraphs: previousStatus === null ? [] : [`Before, it was ${statusLabel(previousStatus)}.`],
    sections: [{ heading: 'Request', items: [{ title, url: link, detail }], more: 0 }],
    link: { label: 'Open the wish', url: link },
    data: {
      requestId,
      wishId,
      title,
      url: link,
      platform: request.sourcePlatform,
      votes: request.votes,
      status,
      previousStatus,
    },
  }
}

interface JobRow {
  topic: string
  found: number
  created: number
  failed: number
}

const renderScrape: Renderer = async ({ executor, accountId, event: { type, subject }, publicUrl }) => {
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

/** The month's settled credits reached a threshold. The numbers are of that moment. */
const renderCreditsLow: Renderer = async ({ event: { subject }, publicUrl }) => {
  const number = (name: string) => numberIn(subject, name)
  const [percent, settled, limit, held, payg] = ['percent', 'settled', 'limit', 'held', 'paygBalance'].map(number)
  const month = idIn(subject, 'month')
  return {
    title: `${percent} % of the credits of ${month ?? 'this month'} are used`,
    paragraphs: [
      `${counted(settled!, 'credit')} of ${limit!.toLocaleString('en-US')} are settled, and ${held!.toLocaleString('en-US')} more are held by jobs under way.`,
      payg! > 0
        ? `Beside the pool there are ${counted(payg!, 'PAYG credit')}.`
        : 'There are no PAYG credits beside the pool.',
    ],
    sections: [],
    link: { label: 'Open the account', url: accountLink(publicUrl) },
    data: { percent, month, settled, limit, held, paygBalance: payg },
  }
}

const renderChannelDisabled: Renderer = async ({ executor, accountId, event: { subject }, publicUrl }) => {
  const channelId = idIn(subject, 'channelId')
  if (channelId === null || !isId(channelId)) return null
  const channel = await executor
    .selectFrom('channels')
    .select(['name', 'type', 'disabled_reason'])
    .where('id', '=', channelId)
    .where('account_id', '=', accountId)
    .where('state', '=', 'disabled')
    .executeTakeFirst()
  if (!channel) return null
  return {
    title: `The channel ${channel.name} was disabled`,
    paragraphs: [
      disabledReasons[channel.disabled_reason as DisabledReason] ?? 'It could not be used any more.',
      'Nothing is sent on it until you enable it again. What it missed can be replayed from its log.',
    ],
    sections: [],
    link: { label: 'Open the account', url: accountLink(publicUrl) },
    data: { channelId, name: channel.name, type: channel.type, reason: channel.disabled_reason },
  }
}

const renderTest: Renderer = async ({ event: { subject }, publicUrl }) => ({
  title: 'A test of Wishwell',
  paragraphs: ['This channel works: news and alerts will come here.'],
  sections: [],
  link: { label: 'Open Wishwell', url: `${publicUrl}/` },
  data: { channelId: idIn(subject, 'channelId') },
})

/** @param news reads a watch's report as its account sees it now (`src/watches/news`) */
export function createRenderer(news: NewsRendering): RenderEvent {
  const renderers: Record<EventType, Renderer> = {
    'watch.news': renderNews(news),
    'watch.skipped_no_credits': renderSkipped,
    'watch.asks': renderAsks,
    'scrape.completed': renderScrape,
    'scrape.failed': renderScrape,
    'wish.status_changed': renderStatusChange,
    'wish.rising': renderRising(news),
    'credits.low': renderCreditsLow,
    'channel.disabled': renderChannelDisabled,
    'channel.test': renderTest,
  }
  return async (input) => {
    const { eventId: id, type, occurredAt } = input.event
    const text = (await renderers[type]?.(input)) ?? null
    return text && { id, type, occurredAt, ...text }
  }
}
