#!/usr/bin/env node
// The launcher: starts the service or the command. In a clone it runs under Node 20 or later, and prepares what is missing, the pinned Node included;
// an installed package needs Node 24 or later. Plain JavaScript, because an old Node cannot read TypeScript.
import { existsSync } from 'node:fs'

const isClone = existsSync(new URL('../src/main.ts', import.meta.url))

try {
  const { launch } = await import(isClone ? '../scripts/launch-clone.mjs' : './launch-installed.mjs')
  await launch(process.argv.slice(2))
} catch (error) {
  console.error(`wishwell: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
