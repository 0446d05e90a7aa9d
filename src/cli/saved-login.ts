import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { CommandError } from './exit-codes.ts'

/** What `wishwell login` saved: the address of a service, and an API key of it. */
export interface SavedLogin {
  url: string
  apiKey: string
}

type Environment = Record<string, string | undefined>

/**
 * Where it is saved: by the XDG Base Directory Specification, which has relative paths ignored; on Windows in the roaming profile.
 */
export function loginFile(environment: Environment = process.env): string {
  const configured = process.platform === 'win32' ? environment.APPDATA : environment.XDG_CONFIG_HOME
  const base = configured && isAbsolute(configured) ? configured : join(homedir(), '.config')
  return join(base, 'wishwell', 'config.json')
}

/** @returns null where nothing is saved, or something else is in its place. */
export function readSavedLogin(environment: Environment = process.env): SavedLogin | null {
  try {
    const { url, apiKey } = JSON.parse(readFileSync(loginFile(environment), 'utf8')) as Partial<SavedLogin>
    return typeof url === 'string' && typeof apiKey === 'string' ? { url, apiKey } : null
  } catch {
    return null
  }
}

/** Replaces what was saved. Only its owner may read the file. @returns its name. @throws CommandError when it cannot be written. */
export function saveLogin(login: SavedLogin, environment: Environment = process.env): string {
  // Not written in place: a file that was made by other means might be readable for others.
  let partial: string | null = null
  try {
    const file = loginFile(environment)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    partial = `${file}.${randomUUID()}`
    writeFileSync(partial, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(partial, file)
    return file
  } catch (error) {
    if (partial !== null) rmSync(partial, { force: true })
    throw new CommandError(`The key cannot be saved: ${(error as Error).message}`)
  }
}
