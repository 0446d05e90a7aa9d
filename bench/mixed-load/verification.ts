import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Stack } from './stack.ts'

// Whether all is right after the load.

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** Of the levels of pino: errors. */
const errorLevel = 50

/** Runs `wishwell verify` against the running service. */
export async function verify({ processes, adminKey }: Stack): Promise<{ isClean: boolean; output: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'verify'], {
    env: { PATH: process.env.PATH, WISHWELL_URL: processes[0]?.url, ADMIN_API_KEY: adminKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void chunks.push(String(chunk)))
  const [code] = await once(child, 'close')
  return { isClean: code === 0, output: chunks.join('').trim().replaceAll(/\s+/g, ' ') }
}

/** The errors that the processes logged, by message. */
export function loggedErrors({ logFiles }: Stack): Record<string, number> {
  const errors: Record<string, number> = {}
  for (const text of logFiles.flatMap((file) => readFileSync(file, 'utf8').split('\n')).filter(Boolean)) {
    const entry = text.startsWith('{') ? (JSON.parse(text) as { level: number; msg?: string }) : null
    if (entry !== null && entry.level < errorLevel) continue
    const name = `log: ${(entry?.msg ?? text).slice(0, 120)}`
    errors[name] = (errors[name] ?? 0) + 1
  }
  return errors
}
