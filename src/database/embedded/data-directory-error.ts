import { statfsSync } from 'node:fs'

/** Why a data directory cannot be used; the message is for the operator. */
export class DataDirectoryError extends Error {
  override readonly name: string = 'DataDirectoryError'
}

/** What the errors of a file system mean for a data directory. */
const meanings: Record<string, string> = {
  EACCES: 'may not be used by the user that Wishwell runs as',
  EPERM: 'may not be used by the user that Wishwell runs as',
  EROFS: 'lies on a file system that can only be read',
  ENOSPC: 'has no room left: its disk is full',
  EDQUOT: 'has no room left: the quota of the user is used up',
  EFBIG: 'cannot take a file as large as is needed: a limit of the system forbids it',
  ENOTDIR: 'is no directory, or lies below a file',
  EEXIST: 'is no directory',
  ELOOP: 'is a symbolic link that leads in circles',
  ENAMETOOLONG: 'has a name that is too long',
  ENOENT: 'cannot be made there',
  EIO: 'cannot be read or written: its disk fails',
}

/** The primary result codes of SQLite, whose extended ones have them in their lowest byte. */
const sqliteMeanings: Record<number, string> = {
  3: meanings.EACCES as string,
  8: 'cannot be written',
  10: meanings.EIO as string,
  13: meanings.ENOSPC as string,
  14: 'cannot be written',
}

/** @returns a sentence in place of what the file system or SQLite said of a data directory; any other error as it is. */
export function explainFileError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof DataDirectoryError) return error
  const { code, errcode } = error as { code?: string; errcode?: number }
  const meaning = meanings[code ?? ''] ?? (errcode === undefined ? undefined : sqliteMeanings[errcode & 0xff])
  if (meaning === undefined) return error
  return new DataDirectoryError(`The data directory ${dataDir} ${meaning} (${error.message}).`, { cause: error })
}

/** A start writes a segment of the log, of 16 MB, at least. */
const leastRoomBytes = 20_000_000

/** @returns a sentence in place of an error of a database that did not open, when its disk is full; else as `explainFileError`. */
export function explainOpening(error: unknown, dataDir: string): unknown {
  const explained = explainFileError(error, dataDir)
  if (explained !== error || error instanceof DataDirectoryError) return explained
  const { bavail, bsize } = statfsSync(dataDir)
  const isFull = bavail * bsize < leastRoomBytes || /no space left|disk full/i.test(String(error))
  if (!isFull) return error
  const free = Math.floor((bavail * bsize) / 1e6)
  return new DataDirectoryError(`The data directory ${dataDir} has no room left: ${free} MB are free.`, {
    cause: error,
  })
}
