import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { fewSlips } from '../runtime/text/slips.ts'

/** Maps what people write to what it may mean. */
function readMeanings(part: string): ReadonlyMap<string, readonly string[]> {
  const meanings = new Map<string, string[]>()
  for (const [, meant = '', written = ''] of part.matchAll(/^(.+?): (.+)$/gm))
    for (const one of written.split(', ')) meanings.set(one, [...(meanings.get(one) ?? []), ...meant.split(', ')])
  return meanings
}

const synonyms = readFileSync(new URL('./synonyms.txt', import.meta.url), 'utf8')
  .split(/^# /m)
  .slice(1)
export const [commandMeanings, substitutes, optionMeanings] = synonyms.map(readMeanings) as [
  Meanings,
  Meanings,
  Meanings,
]
type Meanings = ReturnType<typeof readMeanings>

const singular = (word: string) => word.replace(/(?<=.{2})(?:(?<=ch|sh|x)es|s)$/, '')

/** The distance from a written word to a command's word, from 0; null if unrelated. */
function distance(written: string, word: string): number | null {
  if (written === word) return 0
  const rank = commandMeanings.get(written)?.indexOf(word) ?? -1
  if (rank >= 0) return 0.4 + Math.min(rank, 3) * 0.01
  // "new" is no slip of "news".
  if (commandMeanings.has(written)) return null
  if (singular(written) === singular(word)) return 0.1
  const slips = fewSlips(written, word) ?? fewSlips(singular(written), singular(word))
  if (slips !== null) return 0.2 + slips * 0.15
  return [...commandMeanings].some(([one, words]) => words.includes(word) && fewSlips(written, one) === 1) ? 0.55 : null
}

/** The cost of a written word that is in no command: the first says most; later ones may be arguments. */
const unused = [1, 0.7, 0.6]
/** The cost of a command's word that was not written. */
const missing = (word: string) => (word === 'admin' ? 0.25 : 0.35)
const near = 0.16
const farthest = 1.2

/** The distance of a command from what was written; infinite without a common word. */
function costOf(written: readonly string[], path: readonly string[]): number {
  const left = [...path]
  let cost = 0
  for (const [place, word] of written.entries()) {
    const far = left.map((one) => distance(word, one) ?? Number.POSITIVE_INFINITY)
    const least = Math.min(...far)
    cost += least < Number.POSITIVE_INFINITY ? least : unused[place]!
    if (least < Number.POSITIVE_INFINITY) left.splice(far.indexOf(least), 1)
  }
  if (left.length === path.length) return Number.POSITIVE_INFINITY
  return cost + left.reduce((sum, word) => sum + missing(word), 0)
}

const pathsOf = ({ commands }: Command): string[][] =>
  commands.flatMap((command) => [[command.name()], ...pathsOf(command).map((path) => [command.name(), ...path])])

/** A possible meaning: the words that lead to it, and the command, which may have other words. */
interface Meant {
  path: readonly string[]
  target: string
}

interface Written {
  /** The command line's known words. */
  group: readonly string[]
  /** The first unknown word, and those after it. */
  words: readonly string[]
}

const grave = /^(?:delete|revoke|cancel|lift|purge|sign-out|push|migrate|restore|restore-dump)$/

/** Whether to suggest a command. A grave one needs its group named, or its own verb if unambiguous. */
function isAllowed({ target }: Meant, { group, words: [first = '', ...others] }: Written, all: readonly Meant[]) {
  const [verb = '', parent = ''] = target.split(' ').toReversed()
  const names = (word: string) => parent !== 'admin' && distance(word, parent) !== null
  if (!grave.test(verb) || group.at(-1) === parent || [first, ...others].some(names)) return true
  const isOnly = all.every((one) => one.target === target || !one.target.endsWith(` ${verb}`))
  const named = all.filter(({ path }) => others.some((word) => singular(path.at(-2) ?? '') === singular(word)))
  const isNamed = named.some(({ path }) => distance(first, path.at(-1)!) !== null)
  const isWritten = distance(first, verb) !== null && (first === verb || !commandMeanings.get(first)?.includes(verb))
  return group.length === 0 && isOnly && !isNamed && isWritten
}

/** The commands nearest to what was written, best first; none if nothing is near. */
function rank(all: readonly Meant[], written: Written, unknown = written.words[0]!): string[] {
  const ranked = all
    .map((one) => ({ ...one, left: one.path.slice(written.group.length) }))
    .filter((one) => one.left.some((word) => distance(unknown, word) !== null) && isAllowed(one, written, all))
    .map(({ left, path, target }) => ({ target, path, cost: costOf(written.words, left) }))
    .map(({ target, path, cost }) => ({ target, cost: cost > 0 && path.join(' ') !== target ? cost + near : cost }))
    .filter(({ cost }) => cost < farthest)
    .toSorted((a, b) => a.cost - b.cost)
  const best = ranked[0]?.cost ?? 0
  return ranked.filter(({ cost }) => cost < best + near).map(({ target }) => `wishwell ${target}`)
}

const firstFew = (found: readonly string[]) => [...new Set(found)].slice(0, 3)

/** The most likely commands, as typed. @param program with every command */
export function suggestCommands(program: Command, { group, words: [unknown = '', ...others] }: Written): string[] {
  const real = [...pathsOf(program), ['--help'], ['--version']].map((path) => ({ path, target: path.join(' ') }))
  const other = [...substitutes].flatMap(([one, targets]) =>
    targets.map((target) => ({ path: one.split(' '), target })),
  )
  const all = [...real.filter(({ target }) => !/^help$|^import file$/.test(target)), ...other].filter(
    ({ path }) => path.length > group.length && group.every((word, place) => path[place] === word),
  )
  const [word = '', ...after] = [unknown, ...others.filter((one) => /^[a-z][-a-z]*$/i.test(one))].map((one) =>
    one.toLowerCase(),
  )
  // "log out" is one word.
  const pair = `${word}-${after[0]}`
  if (commandMeanings.has(pair) || other.some(({ path }) => path[0] === pair))
    return firstFew(rank(all, { group, words: [pair] }))
  // Later words may be arguments.
  for (let count = unused.length; count > 0; count--) {
    const found = rank(all, { group, words: [word, ...after].slice(0, count) })
    if (found.length > 0) return firstFew(found)
  }
  const parts = word.split(/[-_:./]+/).filter((part) => part !== '' && part !== word)
  const together = parts.flatMap((part) => rank(all, { group, words: parts.slice(0, unused.length) }, part))
  return firstFew(together.length > 0 ? together : parts.flatMap((part) => rank(all, { group, words: [part] })))
}

/** The options that were most likely meant. @param flag without hyphens @param known without hyphens */
export function suggestOptions(flag: string, value: string | undefined, known: readonly string[]): string[] {
  const word = flag.toLowerCase().replaceAll('_', '-')
  const isPart = (part: string, whole: string) => part.length > 2 && whole.split('-').includes(part)
  const isForm = value === 'json' && /^(?:o|out|output|format|type|as)$/.test(word)
  const meant = [
    known.filter((name) => isForm && /^(?:format|json)$/.test(name)),
    (optionMeanings.get(word) ?? []).filter((name) => known.includes(name)),
    known.filter((name) => singular(name) === singular(word) || fewSlips(word, name) !== null),
    known.filter((name) => isPart(name, word) || isPart(word, name) || (word.length > 2 && name.startsWith(word))),
  ]
  return firstFew(meant.find((some) => some.length > 0) ?? [])
}
