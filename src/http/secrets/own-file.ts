import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { DataDirectoryError } from '../../database/embedded/data-directory-error.ts'

/**
 * Reads a file with a secret only if this user owns it: another user who could replace it would choose the secret. Its mode becomes 0600.
 * @throws DataDirectoryError for a link, a file of another user, and what is no plain file.
 */
export function readOwnFile(location: string): string {
  const foreign = () =>
    new DataDirectoryError(
      `${location} is not a plain file of the user that Wishwell runs as. See who put it there, and delete it.`,
    )
  if (lstatSync(location).isSymbolicLink()) throw foreign()
  const file = openSync(location, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    const isOwn = process.geteuid === undefined || stats.uid === process.geteuid()
    if (!stats.isFile() || !isOwn) throw foreign()
    fchmodSync(file, 0o600)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
