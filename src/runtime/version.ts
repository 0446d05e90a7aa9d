import { readFileSync } from 'node:fs'
import { isCompiled } from './module-file.ts'

const manifest = JSON.parse(
  readFileSync(new URL(isCompiled ? '../../../package.json' : '../../package.json', import.meta.url), 'utf8'),
) as { version: string }

export const version = manifest.version
