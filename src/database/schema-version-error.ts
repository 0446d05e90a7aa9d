/** Made by a Wishwell from before version 1, or by one with migrations that this one lacks. */
export type SchemaMismatch = 'older' | 'newer'

const advice: Record<SchemaMismatch, string> = {
  older:
    'was made by an older Wishwell, whose tables this version cannot read; nothing in it was changed: ' +
    'export what you need with the version that made it, and start this one with an empty database',
  newer:
    'was made by a newer Wishwell, whose tables this version cannot read; nothing in it was changed: ' +
    'start that version, or start this one with an empty database',
}

/** The database's schema version is unreadable for this Wishwell; the message is one sentence for the operator. */
export class SchemaVersionError extends Error {
  override readonly name = 'SchemaVersionError'
  readonly mismatch: SchemaMismatch
  /** @param location the refused database, and the setting that names another */
  constructor(mismatch: SchemaMismatch, { subject, setting }: DatabaseLocation) {
    super(`${subject} ${advice[mismatch]} (another ${setting}).`)
    this.mismatch = mismatch
  }
}

/** How messages for the operator name a database. */
export interface DatabaseLocation {
  subject: string
  /** The environment variable that selects the database. */
  setting: string
}

/** A database the caller has no name for. */
export const someDatabase: DatabaseLocation = { subject: 'The database', setting: 'DATA_DIR or DATABASE_URL' }

export const locationOfDataDirectory = (dataDir: string): DatabaseLocation => ({
  subject: `The database in ${dataDir}`,
  setting: 'DATA_DIR',
})

export const locationOfPostgres: DatabaseLocation = { subject: 'The database at DATABASE_URL', setting: 'DATABASE_URL' }
