import { type RawBuilder, sql } from 'kysely'
import type { View } from './view.ts'

/** In SQL what `hashIdentity` (`../store/identity.ts`) gives for the id of a row of `requests` on its platform. */
const sourceHash = sql`encode(sha256(convert_to(requests.platform, 'UTF8') || '\\x00696400'::bytea
  || convert_to(requests.source_id, 'UTF8')), 'hex')`

/**
 * For a query over `requests`: whether the operator, or the account of the view, said whether the row is a request. A hash and one
 * probe of an index for each row of a page, where anything was corrected at all; the view has an account wherever it has corrections.
 */
export const isCorrected = ({ account }: View): RawBuilder<boolean> =>
  sql<boolean>`case when exists (select from request_corrections) then
    exists (select from request_corrections as correction where correction.source_hash = ${sourceHash}
    and ${account === null ? sql`correction.account_id is null` : sql`(correction.account_id is null or correction.account_id = ${account}::uuid)`})
    else false end`
