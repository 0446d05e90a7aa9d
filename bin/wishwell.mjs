#!/usr/bin/env node
// The launcher: runs under any Node of the machine (20 or later), and starts the service or the command under Node 24 or later. In a clone
// it prepares what is missing. Plain JavaScript, because an old Node cannot read TypeScript.
import { existsSync } from 'node:fs'

const isClone = existsSync(new URL('../src/main.ts', import.meta.url))

try {
  const { launch } = await import(isClone ? '../scripts/launch-clone.mjs' : './launch-installed.mjs')
  await launch(process.argv.slice(2))
} catch (error) {
  console.error(`wishwell: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
