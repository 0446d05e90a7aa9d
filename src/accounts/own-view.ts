import { sql } from 'kysely'

/** For a query that has `accounts`: whether the account sees requests, or what is said of them, differently from all others. */
export const ownView = sql<boolean>`(accounts.has_own_view or accounts.corrections > 0)`.as('hasOwnView')
