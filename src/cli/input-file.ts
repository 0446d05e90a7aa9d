import { readFileSync } from 'node:fs'
import { CommandError, exitCodes } from './exit-codes.ts'
import { printable } from './text.ts'

const faults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is no directory',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EEXIST: 'it exists already',
  ENOSPC: 'the disk is full',
}

/** The error of an unreadable or unwritable file: its name, never its content. @param option that named it */
export function fileError(error: unknown, path: string, option = ''): CommandError {
  const { code = 'it is no file' } = error as NodeJS.ErrnoException
  const name = `${option === '' ? '' : `${option}: `}${path === '-' ? 'stdin' : `"${printable(path)}"`}`
  return new CommandError(`${name}: ${faults[code] ?? `it cannot be used (${code})`}.`, exitCodes.usage)
}

/** Reads a file; `-` is stdin. @throws CommandError */
export function readInput(path: string, option?: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path)
  } catch (error) {
    throw fileError(error, path, option)
  }
}
