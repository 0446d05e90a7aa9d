import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** What `wishwell login` saved: the address of a service, and an API key of it. */
export interface SavedLogin {
  url: string
  apiKey: string
}

type Environment = Record<string, string | undefined>

/** Where it is saved: by the XDG Base Directory Specification, on Windows in the roaming profile. */
export function loginFile(environment: Environment = process.env): string {
  const configured = environment.XDG_CONFIG_HOME || (process.platform === 'win32' ? environment.APPDATA : undefined)
  return join(configured || join(homedir(), '.config'), 'wishwell', 'config.json')
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

/** Replaces what was saved. Only its owner may read the file. @returns its name. */
export function saveLogin(login: SavedLogin, environment: Environment = process.env): string {
  const file = loginFile(environment)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // Not written in place: a file that was made by other means might be readable for others.
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(partial, file)
  return file
}
