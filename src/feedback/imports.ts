import { type RawBuilder, sql } from 'kysely'
import { takeSourceLocks } from '../database/advisory-locks.ts'
import type { Database, Executor } from '../database/open.ts'
import { importPlatform } from '../platforms/registry.ts'
import { deleteAlone } from '../requests/store/delete.ts'
import type { ImportName } from './names.ts'

export interface Import {
  name: string
  asks: number
  /** Asks that search does not find by words yet. */
  unindexed: number
  importedAt: string
}

type ImportRow = Omit<Import, 'importedAt'> & { imported_at: Date }

/** Imports by name. @param accountId null for the operator */
export async function listImports(executor: Executor, accountId: string | null): Promise<Import[]> {
  const counts = sql`count(*)::integer as asks, count(unwritten.request_id)::integer as unindexed`
  const { rows } =
    accountId === null
      ? await sql<ImportRow>`
          select source_name as name, ${counts}, max(updated_at) as imported_at
          from requests left join unwritten_texts as unwritten on unwritten.request_id = id
          where ${isOperators} group by source_name order by name`.execute(executor)
      : await sql<ImportRow>`
          select split_part(source, '/', 2) as name, named_at as imported_at, asks, unindexed
          from account_sources as named cross join lateral (
            select ${counts} from request_sources as found left join unwritten_texts as unwritten using (request_id)
            where found.platform = named.platform and found.source = named.source) as counted
          where account_id = ${accountId}::uuid and platform = ${importPlatform} order by name`.execute(executor)
  return rows.map(({ imported_at, ...counted }) => ({ ...counted, importedAt: imported_at.toISOString() }))
}

const isOperators = sql`platform = ${importPlatform} and starts_with(source_id, 'operator/')`

/** Maximum asks deleted per transaction: in the embedded database all others wait. */
const sliceRows = 100

/** Selects some of these requests, locked in the order of all writers. */
const someOf = (ids: RawBuilder<unknown>) => sql<{ id: string }>`
  select id from requests where id in (${ids}) order by platform, source_id for update`

const sliceOf = ({ name, source }: ImportName) =>
  source === null
    ? someOf(sql`select id from requests where ${isOperators} and source_name = ${name} limit ${sliceRows}`)
    : someOf(sql`
        select request_id from request_sources where platform = ${importPlatform} and source = ${source} limit ${sliceRows}`)

/**
 * Deletes an import with its asks; corrections stay.
 * @param signal ends it between transactions; a repeat, or for accounts the background, deletes the rest
 * @returns number of asks; null without the import
 */
export async function deleteImport(database: Database, name: ImportName, signal: AbortSignal): Promise<number | null> {
  const isForgotten = name.source !== null && (await forget(database, name.source))
  let deleted = 0
  for (let more = true; more && !signal.aborted; ) {
    const slice = await deleteAlone(database, sliceOf(name))
    deleted += slice
    more = slice === sliceRows
  }
  return isForgotten || deleted > 0 ? deleted : null
}

/** Removes the import from its account at once. @returns whether it had one */
const forget = (database: Database, source: string): Promise<boolean> =>
  database.transaction().execute(async (transaction) => {
    await takeSourceLocks(transaction, [{ platform: importPlatform, source }], 'exclusive')
    const { rows } = await sql`
      delete from account_sources where platform = ${importPlatform} and source = ${source} returning source`.execute(
      transaction,
    )
    return rows.length > 0
  })

/** Deletes asks left by deleted accounts, or by interrupted deletions. @returns whether more may remain */
export async function deleteForgottenAsks(database: Database): Promise<boolean> {
  const forgotten = sql`
    select request_id from request_sources as found where platform = ${importPlatform} and not exists (
      select from account_sources as named where named.platform = found.platform and named.source = found.source)
    limit ${sliceRows}`
  const { rows } = await forgotten.execute(database)
  if (rows.length === 0) return false
  return (await deleteAlone(database, someOf(forgotten))) === sliceRows
}
