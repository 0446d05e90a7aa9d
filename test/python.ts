import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const succeeds = (parameters: string[]) => spawnSync('python3', parameters, { stdio: 'ignore' }).status === 0

/** @returns why packages of Python cannot be built and installed here; null when they can. */
export function missingForPython(): string | null {
  if (!succeeds(['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'])) return 'there is no Python 3.11 or later'
  if (!succeeds(['-c', 'import ensurepip'])) return 'this Python makes no environments'
  const folder = mkdtempSync(join(tmpdir(), 'wishwell-python-'))
  try {
    const download = [...'-m pip download attrs --quiet --no-deps --no-cache-dir --retries 1 --dest'.split(' '), folder]
    return succeeds(download) ? null : 'PyPI cannot be reached'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
