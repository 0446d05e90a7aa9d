import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { type OwnThresholds, wishClassOf } from '../detection/detect.ts'
import { type Accuracy, type DrawnLabel, estimateAccuracy } from './estimate.ts'

/** Two years of an account that answers all; the operator has as many. The latest count. */
const mostLabels = 2_080

/** The labels of an account, or of the operator (null). @param before only of weeks before this Monday */
export async function readLabels(
  executor: Executor,
  accountId: string | null,
  before: string | null = null,
): Promise<DrawnLabel[]> {
  const { rows } = await sql<DrawnLabel>`
    select label_draws.platform, standing, confidence, population, thresholds, is_request as "isRequest"
    from label_draws join request_corrections as made on made.source_hash = label_draws.source_hash
      and ${accountId === null ? sql`made.account_id is null` : sql`made.account_id = label_draws.account_id`}
    where ${accountId === null ? sql`label_draws.account_id is null` : sql`label_draws.account_id = ${accountId}::uuid`}
      and (${before}::date is null or week < ${before}::date)
    order by week desc, label_draws.source_hash limit ${mostLabels}`.execute(executor)
  return rows
}

/** What classes of an account are cut by; nothing of its own where they are cut as for all. */
export async function readThresholds(executor: Executor, accountId: string | null): Promise<OwnThresholds> {
  const { rows } = await sql<{ thresholds: OwnThresholds | null }>`
    select thresholds from accounts where id = ${accountId}::uuid`.execute(executor)
  return rows[0]?.thresholds ?? {}
}

/**
 * How often each class is right, from what an account said about drawn texts and what the operator said; and what the classes are cut by.
 * @param accountId null for the operator alone
 */
export async function readAccuracy(
  executor: Executor,
  accountId: string | null,
): Promise<Accuracy & { thresholds: OwnThresholds }> {
  const operators = await readLabels(executor, null)
  if (accountId === null) return { ...estimateAccuracy(operators, null), thresholds: {} }
  const thresholds = await readThresholds(executor, accountId)
  const classNow = (confidence: number, platform: string) => wishClassOf(confidence, platform, thresholds)
  return { ...estimateAccuracy(await readLabels(executor, accountId), operators, classNow), thresholds }
}
