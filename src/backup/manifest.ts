import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { closed } from '../http/schemas.ts'
import { version } from '../runtime/version.ts'

/** The first entry of an archive; the other entries are the files of the database. */
export const manifestName = 'manifest.json'
export const databaseName = 'database'

/** Counted up when an older Wishwell could not read what a newer one writes. */
export const archiveFormat = 1

const naturalNumber = Type.Integer({ minimum: 0 })

const manifestSchema = closed({
  format: Type.Literal(archiveFormat),
  wishwellVersion: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+' }),
  createdAt: Type.String({ minLength: 1 }),
  /** Of the database, with their sizes in bytes together: what is missing is noticed. */
  files: Type.Integer({ minimum: 1 }),
  bytes: naturalNumber,
  /** How long all other work waited while the files were copied. */
  heldMs: naturalNumber,
  tables: Type.Record(Type.String(), closed({ rows: naturalNumber, checksum: Type.String() })),
})

/** What an archive says about itself. */
export type Manifest = Static<typeof manifestSchema>

/** Why an archive cannot be used; the message is for people. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

const isValid = new Ajv().compile<Manifest>(manifestSchema)

const numbersOf = (text: string) => text.split(/[.-]/, 3).map(Number)

/** Whether a version is later than another; pre-releases count as their release. */
function isLater(one: string, other: string): boolean {
  const [left, right] = [numbersOf(one), numbersOf(other)]
  const differing = left.findIndex((number, index) => number !== right[index])
  return differing >= 0 && (left[differing] ?? 0) > (right[differing] ?? 0)
}

/** Reads a manifest. @throws BackupError when it is none, or from a newer Wishwell than this one. */
export function parseManifest(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BackupError('It is not a backup of Wishwell: its manifest cannot be read.')
  }
  const { format, wishwellVersion } = (value ?? {}) as { format?: unknown; wishwellVersion?: unknown }
  const made = typeof wishwellVersion === 'string' && /^[\w.-]{1,40}$/.test(wishwellVersion) ? wishwellVersion : null
  const isNewer = made !== null && /^\d+\.\d+\.\d+/.test(made) && isLater(made, version)
  if (isNewer || (typeof format === 'number' && format > archiveFormat)) {
    throw new BackupError(
      `It was made by a newer Wishwell (${made ?? 'unknown'}; this is ${version}). Update this one.`,
    )
  }
  if (!isValid(value)) throw new BackupError('It is not a backup of Wishwell: its manifest is not one.')
  return value
}
