import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { HostBusyError } from '../../platforms/platform.ts'
import { maxOpenTasks } from './collections.ts'
import { pageOf, prepareLiveService } from './testing.ts'

const live = prepareLiveService()
const liveSlots = 20

/** Collections that no worker runs, as those of a platform in cooldown; a test must end them. */
async function seedBacklog(tasks: number): Promise<void> {
  await sql`
    with jobs as (
      insert into scrape_jobs (topic, topic_key, depth, created_at, begun_at, expires_at)
      select 'waiting ' || number, 'waiting ' || number, 1, now(), now(), now() + interval '1 hour'
      from generate_series(1, ${tasks}::integer) as number returning id
    )
    insert into scrape_tasks (job_id, platform, position) select id, 'github', 0 from jobs`.execute(
    live.service.database,
  )
}
const endBacklog = () =>
  live.service.database
    .updateTable('scrape_tasks')
    .set({ state: 'skipped', completed_at: new Date() })
    .where('state', '=', 'pending')
    .where('queue_message_id', 'is', null)
    .execute()

describe('a platform at its maximum of open live tasks', () => {
  it('is called for no more topics and reported as rate limited; the others are called', async () => {
    await seedBacklog(maxOpenTasks - 1)
    live.related = ['night light']
    const { status, body } = await live.expand('dark mode')
    await endBacklog()
    expect(status).toBe(200)
    expect(live.github.calls.map(({ topic }) => topic)).toEqual(['dark mode'])
    expect(live.hackernews.calls.map(({ topic }) => topic).sort()).toEqual(['dark mode', 'night light'])
    expect(body.meta.errors).toEqual([
      expect.objectContaining({ platform: 'github', topic: 'night light', code: 'rate_limited' }),
    ])
    expect(body.meta).toMatchObject({ topicsScraped: 2, topicsSkipped: 0 })
  })

  it('is not fresh for such a topic, and costs nothing', async () => {
    await seedBacklog(maxOpenTasks)
    const { body } = await live.expand('dark mode', { platforms: ['github'] })
    await endBacklog()
    expect(body.meta).toMatchObject({ topicsScraped: 0, topicsSkipped: 0, errors: [{ code: 'rate_limited' }] })
    expect([body.usage.credits.used, live.github.calls]).toEqual([0, []])
  })
})

describe('a platform whose host stays at capacity', () => {
  it('does not block the slots of live tasks of another platform', async () => {
    let isBusy = true
    live.scripts.github = (_call, request) => {
      if (isBusy) throw new HostBusyError('github is at capacity.', new Date(Date.now() + 1_500))
      return pageOf('github')(request)
    }
    const waiting = Array.from({ length: liveSlots }, (_, number) =>
      live.expand(`topic ${number}`, { platforms: ['github'] }),
    )
    const calledTopics = () => new Set(live.github.calls.map(({ topic }) => topic)).size
    await expect.poll(calledTopics, { timeout: 30_000 }).toBe(liveSlots)
    const other = await live.service.createAccount('pro')
    const { body } = await live.expand('dark mode', { platforms: ['hackernews'] }, other.client)
    isBusy = false
    expect(body.meta).toMatchObject({ topicsScraped: 1, newResultsFound: 2, errors: [] })
    for (const answer of await Promise.all(waiting)) expect(answer.body.meta.topicsScraped).toBe(1)
  })
})
