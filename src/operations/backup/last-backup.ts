import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files of a data directory that no backup holds, because whoever has them opens everything. */
export const keyFiles = ['admin-key', 'secrets-key'] as const

export type KeyFile = (typeof keyFiles)[number]

/** Those that the directory has: keys of the configuration are in no file. */
export const keyFilesIn = (dataDir: string): KeyFile[] => keyFiles.filter((name) => existsSync(join(dataDir, name)))

// In the directory, not in the database: a backup cannot hold its own end, and a restored database would tell of an older one.
const fileIn = (dataDir: string) => join(dataDir, 'last-backup')

/** Notes that a backup was read to its end. @param createdAt ISO 8601: the moment that it is of. */
export const noteBackup = (dataDir: string, createdAt: string): Promise<void> =>
  writeFile(fileIn(dataDir), `${createdAt}\n`, { mode: 0o600 })

/** The moment of the last backup of a data directory, ISO 8601; null when there was none, or it is not known. */
export async function readLastBackup(dataDir: string): Promise<string | null> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
  const moment = new Date(text.trim())
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString()
}
