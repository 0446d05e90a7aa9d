import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Files of a data directory that no backup contains, because they open everything. */
export const keyFiles = ['admin-key', 'secrets-key'] as const

export type KeyFile = (typeof keyFiles)[number]

/** Those in the directory: keys set by configuration are in no file. */
export const keyFilesIn = (dataDir: string): KeyFile[] => keyFiles.filter((name) => existsSync(join(dataDir, name)))

// In the directory: a backup cannot contain its own end, and a restored database would report an older one.
const fileIn = (dataDir: string) => join(dataDir, 'last-backup')

/** Records that a backup was read to its end. @param createdAt its moment, ISO 8601 */
export const noteBackup = (dataDir: string, createdAt: string): Promise<void> =>
  writeFile(fileIn(dataDir), `${createdAt}\n`, { mode: 0o600 })

/** The moment of the last backup, ISO 8601; null if none or unknown. */
export async function readLastBackup(dataDir: string): Promise<string | null> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '')
  const moment = new Date(text.trim())
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString()
}
