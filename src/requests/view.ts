import { type RawBuilder, sql } from 'kysely'
import { type Standing, standings } from '../database/column-types.ts'
import type { Account } from '../http/callers.ts'
import type { Include } from './views/include.ts'

/** Which requests are shown, and in which class. */
export interface View {
  /** The account whose differences and corrections apply; null for the shared view, also if it has none. */
  account: string | null
  least: Exclude<Standing, typeof standings.unlisted>
}

/** The likely requests, as accounts without differences see them. */
export const sharedView: View = { account: null, least: standings.likely }

const leastOf = (include: Include | undefined): View['least'] =>
  include === undefined ? standings.likely : include === 'maybe' ? standings.maybe : standings.unlikely

/** The view of an account. Accounts without differences and corrections share a view, and so cached answers. */
export const viewOf = (
  { accountId, hasOwnView }: Pick<Account, 'accountId' | 'hasOwnView'>,
  include?: Include,
): View => ({
  account: hasOwnView ? accountId : null,
  least: leastOf(include),
})

/** The columns of `requests` or `request_topics`, as the query names them. */
export interface StandingColumns {
  id: RawBuilder<unknown>
  standing: RawBuilder<unknown>
}

export const requestColumns: StandingColumns = { id: sql.ref('requests.id'), standing: sql.ref('requests.standing') }

/** A row's standing in a view: the account's if it differs, else the shared one. */
export const standingIn = ({ account }: View, { id, standing }: StandingColumns): RawBuilder<Standing> =>
  account === null
    ? sql<Standing>`${standing}`
    : sql<Standing>`coalesce((select own.standing from account_requests as own
        where own.account_id = ${account}::uuid and own.request_id = ${id}), ${standing})`

/** Whether the shared view alone decides: then the partial indexes of likely requests hold exactly the shown rows. */
export const isLikelyIndexed = ({ account, least }: View): boolean => account === null && least === standings.likely

/** Whether a view shows a row. */
export const isShown = (view: View, columns: StandingColumns): RawBuilder<boolean> =>
  // Use equality: from `>= 2`, Postgres does not infer that the partial indexes `where standing = 2` apply.
  isLikelyIndexed(view)
    ? sql<boolean>`${columns.standing} = ${sql.lit(standings.likely)}`
    : sql<boolean>`${standingIn(view, columns)} >= ${sql.lit(view.least)}`
