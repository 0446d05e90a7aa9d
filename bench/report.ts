import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const fileOf = (document: string) => fileURLToPath(new URL(`../docs/${document}`, import.meta.url))

/** Where the text of a section is in a document: between `<!-- begin: name -->` and `<!-- end: name -->`. */
function locate(name: string, document: string) {
  const begin = `<!-- begin: ${name} -->`
  const text = readFileSync(fileOf(document), 'utf8')
  const from = text.indexOf(begin)
  const to = text.indexOf(`<!-- end: ${name} -->`)
  if (from === -1 || to < from) throw new Error(`docs/${document} has no section ${name}`)
  return { text, from: from + begin.length, to }
}

/** The section of a document in docs/ that a bench wrote. */
export function readSection(name: string, document = 'benchmarks.md'): string {
  const { text, from, to } = locate(name, document)
  return text.slice(from, to).trim()
}

/** Replaces a section of a document in docs/. */
export function writeSection(name: string, content: string, document = 'benchmarks.md'): void {
  const { text, from, to } = locate(name, document)
  writeFileSync(fileOf(document), `${text.slice(0, from)}\n${content}\n${text.slice(to)}`)
}

/** Of numbers in any order, the one that a share of them is not above. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
