import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const report = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

/** Replaces the section between `<!-- begin: name -->` and `<!-- end: name -->` in docs/benchmarks.md. */
export function writeSection(name: string, text: string): void {
  const begin = `<!-- begin: ${name} -->`
  const end = `<!-- end: ${name} -->`
  const document = readFileSync(report, 'utf8')
  const from = document.indexOf(begin)
  const to = document.indexOf(end)
  if (from === -1 || to < from) throw new Error(`docs/benchmarks.md has no section ${name}`)
  writeFileSync(report, `${document.slice(0, from + begin.length)}\n${text}\n${document.slice(to)}`)
}

/** Of numbers in any order, the one that a share of them is not above. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
