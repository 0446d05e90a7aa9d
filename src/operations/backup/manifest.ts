import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { schemaVersion } from '../../database/schema-version.ts'
import { closed } from '../../http/schemas.ts'
import { version } from '../../runtime/version.ts'
import { BackupError } from './backup-error.ts'

/** The first file of an archive; all others are the files of the database. */
export const manifestName = 'manifest.json'
export const databaseName = 'database'

/**
 * Counted up when an older Wishwell cannot read what a newer one writes. Format 1 had no schema version: its databases are older
 * than version 1.
 */
export const archiveFormat = 2

const naturalNumber = Type.Integer({ minimum: 0 })

const manifestSchema = closed({
  format: Type.Literal(archiveFormat),
  wishwellVersion: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+' }),
  /** Of the database in it. */
  schemaVersion: Type.Integer({ minimum: 1 }),
  createdAt: Type.String({ minLength: 1 }),
  /** The number of the database's files, and the sum of their sizes: missing files are noticed. */
  files: Type.Integer({ minimum: 1 }),
  bytes: naturalNumber,
  /** For how long all other work waited while the files were copied. */
  heldMs: naturalNumber,
  tables: Type.Record(Type.String(), closed({ rows: naturalNumber, checksum: Type.String() })),
})

/** What an archive says about itself. */
export type Manifest = Static<typeof manifestSchema>

const isValid = new Ajv().compile<Manifest>(manifestSchema)

const numbersOf = (text: string) => text.split(/[.-]/, 3).map(Number)

/** Whether a version is later than another; pre-releases count as their release. */
function isLater(one: string, other: string): boolean {
  const [left, right] = [numbersOf(one), numbersOf(other)]
  const differing = left.findIndex((number, index) => number !== right[index])
  return differing >= 0 && (left[differing] ?? 0) > (right[differing] ?? 0)
}

/** What is read of a manifest before its form is checked: another version's has another form. */
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

/** Reads a manifest. @throws BackupError when it is none, or from an older or a newer Wishwell than this one can read. */
export function parseManifest(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BackupError('It is not a backup of Wishwell: its manifest cannot be read.')
  }
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
