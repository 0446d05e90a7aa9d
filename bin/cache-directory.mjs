// The directory of this user for what can be made again: compiled code.
import { lstatSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Where the system has the caches of a user. */
function cachesOf({ platform, environment, home }) {
  const { XDG_CACHE_HOME: given, LOCALAPPDATA: local } = environment
  if (given && isAbsolute(given)) return given
  if (platform === 'win32') return local || join(home, 'AppData', 'Local')
  return platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache')
}

/** Code of this directory is run: whoever else could write it would run code as this user. */
function isOwn(directory) {
  const { uid, mode } = lstatSync(directory)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

/** @returns its path, made when missing; null where this user has none, or others can write it. */
export function openCacheDirectory({ platform = process.platform, environment = process.env, home = homedir() } = {}) {
  const directory = join(cachesOf({ platform, environment, home }), 'wishwell')
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return isOwn(directory) ? directory : null
  } catch {
    return null
  }
}
