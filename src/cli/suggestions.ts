import type { Command } from 'commander'
import { slipsBetween } from '../runtime/text/slips.ts'

/** What people write, by the words of our commands that it may mean. */
const meanings = `create: make add new init; list: ls all index get; show: get view read open describe info inspect cat details status print
  delete revoke cancel: delete remove rm del drop destroy erase unset; update mark: edit change set modify rename patch configure mute
  cancel pause: stop abort kill end disable suspend; resume run serve enable: start continue unpause restart; run: execute trigger refresh
  verify test healthcheck try: check validate; merge: join combine same duplicate dedupe; split: part divide separate; undo: revert rollback restore
  mark: label tag star plan ignore note; replay: retry resend; push: send publish sync; search apps: find query grep lookup
  scrape: collect fetch crawl gather pull get; import: upload load ingest; export: download save csv json; dump show: export download save
  restore-dump: import; healthcheck verify: doctor diagnose health ping ready; usage: status stats whoami balance credits quota billing plan me
  serve: up server daemon run; login: auth signin log-in setup config configure connect init; sign-out: logout log-out signout
  link: invite person people; migrate: upgrade schema; search-index rebuild: reindex index; purge: gdpr forget; demo: sample example tour
  api: curl call http rest; mcp: agent tools claude; --help: help; --version: version; complete: completion completions autocomplete
  accounts: user users account tenant tenants organisation org; keys: token tokens apikey api-key api-keys credential credentials secret
  jobs: task tasks collection collections run; wishes: request requests feature features idea ideas; feeds: rss atom
  watches: monitor alert alerts subscription subscribe follow schedule cron; brief: report reports summary evidence document briefs
  channels: notification notifications notify webhook webhooks email mail slack discord ntfy; platforms: adapters providers
  trackers: integration integrations issue issues jira linear ticket tickets; sources: repository repo board boards adapter`

const meant = new Map<string, string[]>()
for (const [, commands, words] of meanings.matchAll(/([^;:\n]+): ([^;\n]+)/g))
  for (const word of words!.split(' ')) meant.set(word, [...(meant.get(word) ?? []), ...commands!.trim().split(' ')])

const singular = (word: string) => word.replace(/(?<=.{2})(?:(?<=ch|sh|x)es|s)$/, '')

/** The slips from one word to another; null for more than may be in one of its length. */
function fewSlips(written: string, word: string): number | null {
  const slips = slipsBetween(written, word)
  return slips <= Math.min(2, Math.floor((word.length - 1) / 3)) ? slips : null
}

/** How far what was written is from a word of a command, from 0; null when it has nothing to do with it. */
function distance(written: string, word: string): number | null {
  if (written === word) return 0
  if (meant.get(written)?.includes(word)) return 0.4
  // "new" is no slip of "news".
  if (meant.has(written)) return null
  if (singular(written) === singular(word)) return 0.1
  const slips = fewSlips(written, word) ?? fewSlips(singular(written), singular(word))
  if (slips !== null) return 0.2 + slips * 0.15
  return [...meant].some(([one, commands]) => commands.includes(word) && fewSlips(written, one) === 1) ? 0.55 : null
}

/** What a written word costs that is in no command: the first says most, and later ones may be arguments. */
const unused = [1, 0.7, 0.6]
/** What a word of a command costs that was not written. */
const missing = (word: string) => (word === 'admin' ? 0.1 : 0.35)
const near = 0.15
const maxSuggestions = 3
/** Beyond this nothing is suggested. */
const farthest = 1.2

/** How far a command is from what was written; infinite when it has none of the words. */
function costOf(written: readonly string[], path: readonly string[]): number {
  const left = [...path]
  let cost = 0
  for (const [place, word] of written.entries()) {
    const [nearest] = left
      .flatMap((one) => {
        const far = distance(word, one)
        return far === null ? [] : [{ one, far }]
      })
      .toSorted((a, b) => a.far - b.far)
    cost += nearest?.far ?? unused[place]!
    if (nearest !== undefined) left.splice(left.indexOf(nearest.one), 1)
  }
  if (left.length === path.length) return Number.POSITIVE_INFINITY
  return cost + left.reduce((sum, word) => sum + missing(word), 0)
}

const pathsOf = ({ commands }: Command): string[][] =>
  commands.flatMap((command) => [[command.name()], ...pathsOf(command).map((path) => [command.name(), ...path])])

/** The commands that come nearest to what was written, from the best on; none where nothing is near. */
function rank(paths: readonly string[][], words: readonly string[], unknown: string): string[] {
  const ranked = paths
    .filter((path) => path.some((word) => distance(unknown, word) !== null))
    .map((path) => ({ path, cost: costOf(words, path) }))
    .filter(({ cost }) => cost < farthest)
    .toSorted((a, b) => a.cost - b.cost)
  const best = ranked[0]?.cost ?? 0
  return ranked.filter(({ cost }) => cost <= best + near).map(({ path }) => ['wishwell', ...path].join(' '))
}

/**
 * The commands that were most likely meant, as they are written.
 * @param program with every command
 * @param group the words of the command line that are known
 * @param unknown the next one
 * @param others what comes after it
 */
export function suggestCommands(
  program: Command,
  { group, unknown, others }: { group: readonly string[]; unknown: string; others: readonly string[] },
): string[] {
  const paths = [...pathsOf(program), ['--help'], ['--version']]
  const word = unknown.toLowerCase()
  const after = others.filter((one) => /^[a-z][-a-z]*$/.test(one))
  const ranked = rank(paths, [...group, word, ...after].slice(0, unused.length), word)
  if (ranked.length > 0) return ranked.slice(0, maxSuggestions)
  const parts = word.split(/[-_:./]+/)
  if (parts.length === 1) return []
  return parts
    .flatMap((part) => rank(paths, [...group, ...parts].slice(0, unused.length), part))
    .slice(0, maxSuggestions)
}
