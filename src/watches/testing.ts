import type { TestClient } from '../../test/client.ts'
import type { Database } from '../database/open.ts'
import type { Clock } from '../runtime/clock.ts'

/** A clock that a test moves. */
export interface MovedClock extends Clock {
  set(moment: Date | string): void
}

export function movedClock(start: string): MovedClock {
  let now = new Date(start)
  return {
    now: () => new Date(now),
    set: (moment) => {
      now = new Date(moment)
    },
  }
}

/** Makes a watch and gives its answer. */
export const watchOf = async (client: TestClient, fields: Record<string, unknown> = {}) => {
  const { body } = await client.post('/api/v1/watches', {
    name: 'a watch',
    topic: 'dark mode',
    platforms: ['github'],
    schedule: 'daily',
    monthlyCredits: 100,
    ...fields,
  })
  return body.data
}

/** The runs of a watch, the last first. */
export const runsOf = async (client: TestClient, watchId: string) =>
  (await client.get(`/api/v1/watches/${watchId}/runs`)).body.data.results

/** The events of a type, the first first. */
export const eventsOf = (database: Database, type: string) =>
  database.selectFrom('events').selectAll().where('type', '=', type).orderBy('sequence').execute()

/** Whether no job is open. */
export async function openJobs(database: Database): Promise<number> {
  const { open } = await database
    .selectFrom('scrape_jobs')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(open)
}
