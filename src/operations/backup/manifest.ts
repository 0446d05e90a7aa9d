import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import type { Queryable } from '../../database/embedded/client.ts'
import { schemaVersion } from '../../database/schema-version.ts'
import { closed } from '../../http/schemas.ts'
import { parsedJson } from '../../runtime/foreign/json.ts'
import { version } from '../../runtime/version.ts'
import { BackupError } from './backup-error.ts'

interface TableCensus {
  rows: number
  /** A hash of all rows for accounts and keys; the sums of number columns for the ledger. */
  checksum: string
}

/** Accounts, keys and the ledger, by table. Everything else can be collected again. */
type Census = Record<string, TableCensus>

const ledgerTables = `
  select t.tablename as name, array_agg(c.column_name::text order by c.ordinal_position)
    filter (where c.data_type in ('smallint', 'integer', 'bigint')) as numbers
  from pg_tables t join information_schema.columns c on c.table_schema = t.schemaname and c.table_name = t.tablename
  where t.schemaname = 'public' and (t.tablename in ('accounts', 'api_keys') or t.tablename like 'credit\\_%')
  group by 1 order by 1`

/** Other statements wait meanwhile, and hashing ledger rows would take ten times as long as summing. */
const isHashed = (table: string) => !table.startsWith('credit_')

const hashOfRows = 'coalesce(sum(hashtextextended(t::text, 0)), 0)::text'
const sumsOf = (numbers: readonly string[]) =>
  numbers.length === 0 ? "''" : `concat_ws(' ', ${numbers.map((name) => `sum("${name}")`).join(', ')})`

/** Summarizes the tables that must be equal in a database, its backup and the restored database. */
export async function takeCensus(queries: Queryable): Promise<Census> {
  const tables = await queries.query<{ name: string; numbers: string[] | null }>(ledgerTables)
  const census: Census = {}
  for (const { name, numbers } of tables.rows) {
    const checksum = isHashed(name) ? hashOfRows : sumsOf(numbers ?? [])
    const { rows } = await queries.query<TableCensus>(
      `select count(*) as rows, ${checksum} as checksum from "${name}" t`,
    )
    if (rows[0]) census[name] = rows[0]
  }
  return census
}

/** The tables that differ between two censuses. */
export function differingTables(one: Census, other: Census): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.filter((name) => one[name]?.rows !== other[name]?.rows || one[name]?.checksum !== other[name]?.checksum)
}

/** The archive's first file; all others belong to the database. */
export const manifestName = 'manifest.json'
export const databaseName = 'database'

/** Increase if older versions cannot read it. Format 1 had no schema version: databases before version 1. */
export const archiveFormat = 2

const naturalNumber = Type.Integer({ minimum: 0 })

const manifestSchema = closed({
  format: Type.Literal(archiveFormat),
  wishwellVersion: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+' }),
  /** Of the database in it. */
  schemaVersion: Type.Integer({ minimum: 1 }),
  createdAt: Type.String({ minLength: 1 }),
  /** The number and total size of the database's files, to notice missing ones. */
  files: Type.Integer({ minimum: 1 }),
  bytes: naturalNumber,
  /** How long all other work waited for the copy. */
  heldMs: naturalNumber,
  tables: Type.Record(Type.String(), closed({ rows: naturalNumber, checksum: Type.String() })),
})

/** An archive's description of itself. */
export type Manifest = Static<typeof manifestSchema>

const isValid = new Ajv().compile<Manifest>(manifestSchema)

const numbersOf = (text: string) => text.split(/[.-]/, 3).map(Number)

/** Whether a version is later; pre-releases count as their release. */
function isLater(one: string, other: string): boolean {
  const [left, right] = [numbersOf(one), numbersOf(other)]
  const differing = left.findIndex((number, index) => number !== right[index])
  return differing >= 0 && (left[differing] ?? 0) > (right[differing] ?? 0)
}

/** The fields read before validating a manifest: other versions have other forms. */
interface ClaimedOrigin {
  format: number | null
  wishwellVersion: string | null
  schemaVersion: number | null
}

function originOf(value: unknown): ClaimedOrigin {
  const { format, wishwellVersion, schemaVersion: schema } = (value ?? {}) as Record<string, unknown>
  const isPrintable = typeof wishwellVersion === 'string' && /^[\w.-]{1,40}$/.test(wishwellVersion)
  return {
    format: typeof format === 'number' ? format : null,
    wishwellVersion: isPrintable ? wishwellVersion : null,
    schemaVersion: typeof schema === 'number' ? schema : null,
  }
}

function isFromNewer({ format, wishwellVersion, schemaVersion: schema }: ClaimedOrigin): boolean {
  const isNewerProgram =
    wishwellVersion !== null && /^\d+\.\d+\.\d+/.test(wishwellVersion) && isLater(wishwellVersion, version)
  return isNewerProgram || (format ?? 0) > archiveFormat || (schema ?? 0) > schemaVersion
}

/** Reads a manifest. @throws BackupError if invalid, or from a version that this one cannot read. */
export function parseManifest(text: string): Manifest {
  const value = parsedJson(text)
  if (value === undefined) throw new BackupError('It is not a backup of Wishwell: its manifest cannot be read.')
  const origin = originOf(value)
  if (isFromNewer(origin)) {
    const made = origin.wishwellVersion ?? 'unknown'
    throw new BackupError(`It was made by a newer Wishwell (${made}; this is ${version}). Update this one.`)
  }
  if (origin.format === 1 && origin.wishwellVersion !== null) {
    throw new BackupError(
      'It was made by an older Wishwell, whose tables this version cannot read: restore it with the version that made it.',
    )
  }
  if (!isValid(value))
    throw new BackupError('It is not a backup of Wishwell: its manifest does not have the right form.')
  return value
}
