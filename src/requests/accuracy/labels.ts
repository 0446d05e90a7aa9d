import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { wishClassOf } from '../detection/detect.ts'
import { type Strictness, thresholdsBy } from '../views/strictness.ts'
import { type Accuracy, type DrawnLabel, estimateAccuracy } from './estimate.ts'

/** Only the latest labels count: two years of an account that answers every week. */
const mostLabels = 2_080

async function readLabels(executor: Executor, accountId: string | null): Promise<DrawnLabel[]> {
  const { rows } = await sql<DrawnLabel>`
    select label_draws.platform, standing, confidence, population, thresholds, is_request as "isRequest"
    from label_draws join request_corrections as made on made.source_hash = label_draws.source_hash
      and ${accountId === null ? sql`made.account_id is null` : sql`made.account_id = label_draws.account_id`}
    where ${accountId === null ? sql`label_draws.account_id is null` : sql`label_draws.account_id = ${accountId}::uuid`}
    order by week desc, label_draws.source_hash limit ${mostLabels}`.execute(executor)
  return rows
}

/** The strictness of an account; `usual` for the operator (null). */
export async function readStrictness(executor: Executor, accountId: string | null): Promise<Strictness> {
  const { rows } = await sql`select from accounts where id = ${accountId}::uuid and is_strict`.execute(executor)
  return rows.length > 0 ? 'strict' : 'usual'
}

/** Reads how often each class is right, by the labels of the account (null: the operator). */
export async function readAccuracy(
  executor: Executor,
  accountId: string | null,
): Promise<Accuracy & { strictness: Strictness }> {
  const operators = await readLabels(executor, null)
  if (accountId === null) return { ...estimateAccuracy(operators, null), strictness: 'usual' }
  const strictness = await readStrictness(executor, accountId)
  const classNow = (confidence: number, platform: string) => wishClassOf(confidence, platform, thresholdsBy(strictness))
  return { ...estimateAccuracy(await readLabels(executor, accountId), operators, classNow), strictness }
}
