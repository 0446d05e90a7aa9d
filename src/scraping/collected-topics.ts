import type { PlatformName } from '../database/column-types.ts'
import type { Executor, Transaction } from '../database/open.ts'
import { topicKey } from '../platforms/topic-key.ts'

/** How many pages of a topic a platform has delivered so far, to all jobs. */
export async function countPages(executor: Executor, platform: PlatformName, topic: string): Promise<number> {
  const row = await executor
    .selectFrom('platform_topics')
    .select('pages')
    .where('platform', '=', platform)
    .where('topic_key', '=', topicKey(topic))
    .executeTakeFirst()
  return row?.pages ?? 0
}

/** Counts a page, in the transaction that stores it. */
export async function countPage(
  transaction: Transaction,
  platform: PlatformName,
  topic: string,
  now: Date,
): Promise<void> {
  await transaction
    .insertInto('platform_topics')
    .values({ platform, topic_key: topicKey(topic), pages: 1, collected_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'topic_key'])
        .doUpdateSet((eb) => ({ pages: eb('platform_topics.pages', '+', 1), collected_at: now })),
    )
    .execute()
}
