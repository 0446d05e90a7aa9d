import { statfsSync } from 'node:fs'

/** Why a data directory is unusable; the message is for the operator. */
export class DataDirectoryError extends Error {
  override readonly name: string = 'DataDirectoryError'
}

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

/** Primary SQLite result codes; extended codes have them in their lowest byte. */
const sqliteMeanings: Record<number, string> = {
  3: meanings.EACCES as string,
  8: 'cannot be written',
  10: meanings.EIO as string,
  13: meanings.ENOSPC as string,
  14: 'cannot be written',
}

/** @returns file system and SQLite errors with a sentence for the operator; other errors unchanged */
export function explainFileError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof DataDirectoryError) return error
  const { code, errcode } = error as { code?: string; errcode?: number }
  const meaning = meanings[code ?? ''] ?? (errcode === undefined ? undefined : sqliteMeanings[errcode & 0xff])
  if (meaning === undefined) return error
  return new DataDirectoryError(`The data directory ${dataDir} ${meaning} (${error.message}).`, { cause: error })
}

/** Full-disk messages of Postgres and its WebAssembly, where 51 is ENOSPC (Emscripten's errno.h). */
const fullDisk = /no space left|disk full|ErrnoError\W.*\berrno: 51\b/i

/** A start writes at least one 16 MB log segment. */
const minFreeBytes = 20_000_000

/** Like `explainFileError`, for a failed opening; also explains a full disk. */
export function explainOpening(error: unknown, dataDir: string): unknown {
  const explained = explainFileError(error, dataDir)
  if (explained !== error || error instanceof DataDirectoryError) return explained
  const { bavail, bsize } = statfsSync(dataDir)
  const isFull = bavail * bsize < minFreeBytes || fullDisk.test(String(error))
  if (!isFull) return error
  const free = Math.floor((bavail * bsize) / 1e6)
  return new DataDirectoryError(`The data directory ${dataDir} has no room left: ${free} MB are free.`, {
    cause: error,
  })
}
