import { open, rename, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { inspectArchive } from '../operations/backup/archive.ts'
import type { Manifest } from '../operations/backup/manifest.ts'
import type { Operator } from './operator.ts'
import { download, operate, operatorCommand } from './operator-command.ts'
import { count } from './text.ts'

/**
 * Saves a backup. The file gets its name when it is complete; a failure leaves no file.
 * @throws ApiError when the service refuses or the answer breaks off; BackupError when it is not a complete backup.
 */
async function save(operator: Operator, file: string): Promise<Manifest> {
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  // It holds the data of every account, so only its owner may read it, from the first byte on.
  const handle = await open(partial, 'wx', 0o600)
  try {
    try {
      for await (const chunk of await download(operator, '/api/admin/backup')) await handle.write(chunk)
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
  `All other work waited ${heldMs} ms for it. The files admin-key and secrets-key of the data directory are not in it: keep a copy of them elsewhere.`,
]

const help = `
The backup holds the whole embedded database; the service may run and write meanwhile. It holds neither admin-key nor secrets-key:
without secrets-key no channel can send after a restore. It holds hashes of every API key: protect it like the data directory. Test it with "wishwell admin restore" and another DATA_DIR.
With DATABASE_URL, use pg_dump instead.`

/** `wishwell admin backup`: saves the embedded database to a file. */
export function backupCommand(): Command {
  return operatorCommand(
    'backup',
    'save the embedded database to a file, also while the service runs (admin key)',
    help,
  )
    .argument(
      '<file>',
      'the file to write, like wishwell.tar.gz; an existing file is replaced when the new one is complete',
    )
    .action((file: string, options: { json: boolean }) =>
      operate(
        options,
        async (operator) => ({ data: { data: { file, ...(await save(operator, file)) } } }),
        (manifest) => formatBackup(file, manifest),
      ),
    )
}
