import { randomUUID } from 'node:crypto'
import type { PlatformName } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import type { TaskQueue } from './queue.ts'

/** A live call's job. It has no account, reserves nothing and is never listed: its callers pay per call. */
export interface UnownedJob {
  id: string
  topic: string
  /** Equal for equal topics. */
  topicKey: string
  /** Whether an expansion suggested the topic. */
  fromExpansion: boolean
  /** Each fetches one page. */
  tasks: readonly { id: string; platform: PlatformName }[]
}

/** Starts unowned jobs and queues their tasks, in three statements of the caller's transaction. */
export async function startUnownedJobs(
  transaction: Transaction,
  queue: Pick<TaskQueue, 'enqueueLive'>,
  jobs: readonly UnownedJob[],
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  if (jobs.length === 0) return
  await transaction
    .insertInto('scrape_jobs')
    .values(
      jobs.map(({ id, topic, topicKey, fromExpansion }) => ({
        id,
        topic,
        topic_key: topicKey,
        from_expansion: fromExpansion,
        account_id: null,
        depth: 1,
        created_at: now,
        begun_at: now,
        expires_at: expiresAt,
      })),
    )
    .execute()
  const tasks = jobs.flatMap(({ id: jobId, tasks: ofJob }) =>
    ofJob.map(({ id, platform }, position) => ({
      id,
      job_id: jobId,
      platform,
      position,
      queue_message_id: randomUUID(),
    })),
  )
  await transaction.insertInto('scrape_tasks').values(tasks).execute()
  await queue.enqueueLive(
    transaction,
    tasks.map((task) => ({ taskId: task.id, queueMessageId: task.queue_message_id })),
  )
}
