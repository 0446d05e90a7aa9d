import { open, rename, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { inspectArchive } from '../backup/archive.ts'
import type { Manifest } from '../backup/manifest.ts'
import type { Operator } from './operator.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { count } from './text.ts'

/**
 * Saves a backup under a name only when it is complete: until then it has another one, and a failure leaves neither.
 * @throws ApiError when it cannot be had or is cut off; BackupError when what came is not a whole backup.
 */
async function save(operator: Operator, file: string): Promise<Manifest> {
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  // It holds everybody's data: for its owner only, from the first byte on.
  const handle = await open(partial, 'wx', 0o600)
  try {
    try {
      for await (const chunk of await operator.download('/api/admin/backup')) await handle.write(chunk)
      await handle.sync()
    } finally {
      await handle.close()
    }
    const manifest = await inspectArchive(partial)
    await rename(partial, file)
    return manifest
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

const formatBackup = (file: string, { bytes, tables, heldMs }: Manifest): string[] => [
  `Saved ${file}: ${count(tables.accounts?.rows ?? 0, 'account')}, ${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB unpacked.`,
  `All other work waited ${heldMs} ms for it. The admin key is not in it.`,
]

const help = `
It takes everything that is in the embedded database, also while the service runs and writes. The file holds no admin key, but
hashes of every API key: keep it as you keep the data directory. Try it out with "wishwell restore" and another DATA_DIR.
With DATABASE_URL, use pg_dump instead.`

/** `wishwell backup`: saves the embedded database to a file. */
export function backupCommand(): Command {
  return operatorCommand(
    'backup',
    'save the embedded database to a file, also while the service runs (admin key)',
    help,
  )
    .argument(
      '<file>',
      'where to, like wishwell.tar.gz; an older file of that name is replaced when the new one is complete',
    )
    .action((file: string, options: { json: boolean }) =>
      operate<Manifest & { file: string }>(
        options,
        async (operator) => ({ data: { file, ...(await save(operator, file)) } }),
        (manifest) => formatBackup(file, manifest),
      ),
    )
}
