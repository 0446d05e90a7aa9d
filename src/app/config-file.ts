import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError } from '../runtime/config-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

const maxBytes = 64 * 1024

/** Reads the file that a variable names. @throws ConfigError if it is unreadable, empty or larger than 64 KiB. */
export function readNamedFile(variable: string, path: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw new ConfigError(`${variable}: the file cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  const text =
    bytes.length > maxBytes
      ? ''
      : bytes
          .toString()
          .replace(/^\uFEFF/, '')
          .trim()
  if (text === '') throw new ConfigError(`${variable}: the file is empty, or larger than 64 KiB.`)
  return text
}

const assignment = /^[ \t]*(?:export[ \t]+)?\w+[ \t]*=/

/** The first line that is neither empty, a comment, an assignment nor quoted: `parseEnv` skips those. */
function strayLine(text: string): number | null {
  const quoted = new RegExp(`(${assignment.source}[ \\t]*)(["'\`])[^]*?\\2`, 'gm')
  const unquoted = text.replace(quoted, (all, start: string) => start + '\n'.repeat(all.split('\n').length - 1))
  const lines = unquoted.split('\n')
  const stray = lines.findIndex((line) => !/^\s*(#|$)/.test(line) && !assignment.test(line))
  return stray === -1 ? null : stray + 1
}

/** The settings in the file of `CONFIG_FILE`, if any. @throws ConfigError if unreadable, or a line sets nothing. */
export function readConfigFile({ CONFIG_FILE }: Environment): Environment {
  const path = CONFIG_FILE?.trim() ?? ''
  if (path === '') return {}
  const text = readNamedFile('CONFIG_FILE', path)
  const stray = strayLine(text)
  if (stray !== null) throw new ConfigError(`CONFIG_FILE: line ${stray} is neither NAME=value nor a comment.`)
  return parseEnv(text)
}

/** Whether every user of this machine can read a file. Always false on Windows, which lacks such modes. */
export const isReadByAll = (path: string): boolean =>
  process.geteuid !== undefined && (statSync(path).mode & 0o004) !== 0
