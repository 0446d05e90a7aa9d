import type { Command } from 'commander'
import { slipsBetween } from '../runtime/text/slips.ts'

/** What people write, and the words of our commands that it may mean. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  'make add new init': ['create'],
  'ls all index': ['list'],
  get: ['list'],
  'get view read open describe info inspect cat details': ['show'],
  'delete remove rm del drop destroy erase unset': ['delete', 'revoke', 'cancel'],
  'edit change set modify rename patch configure mute': ['update', 'mark'],
  'stop abort kill end': ['cancel', 'pause'],
  'disable suspend': ['pause'],
  'start continue unpause restart': ['resume', 'run', 'serve', 'enable'],
  'execute trigger refresh': ['run'],
  'check validate': ['verify', 'test', 'healthcheck', 'try'],
  'join combine same duplicate dedupe': ['merge'],
  'part divide separate': ['split'],
  'revert rollback restore': ['undo'],
  'label tag star plan ignore note': ['mark'],
  'retry resend': ['replay'],
  'send publish sync': ['push'],
  'find query grep lookup': ['search', 'apps'],
  'collect fetch crawl gather pull get': ['scrape'],
  'upload load ingest': ['import'],
  'download save csv json': ['export', 'dump'],
  'doctor diagnose health ping ready': ['healthcheck', 'verify'],
  status: ['show'],
  'export download save print': ['show', 'dump'],
  import: ['restore-dump'],
  'status stats whoami balance credits quota billing plan me': ['usage'],
  'up server daemon run': ['serve'],
  'auth signin log-in setup config configure connect init': ['login'],
  'logout log-out signout': ['sign-out'],
  'invite person people': ['link'],
  'upgrade schema': ['migrate'],
  'reindex index': ['search-index', 'rebuild'],
  'gdpr forget': ['purge'],
  'sample example tour playground': ['demo'],
  'curl call http rest': ['api'],
  'agent tools claude': ['mcp'],
  'help usage': ['--help'],
  version: ['--version'],
  'completion completions autocomplete': ['complete'],
  'user users account tenant tenants organisation org': ['accounts'],
  'token tokens apikey api-key api-keys credential credentials secret': ['keys'],
  'task tasks collection collections run': ['jobs'],
  'request requests feature features idea ideas': ['wishes'],
  'monitor alert alerts subscription subscribe follow schedule cron': ['watches'],
  'notification notifications notify webhook webhooks email mail slack discord ntfy': ['channels'],
  'integration integrations issue issues jira linear ticket tickets': ['trackers'],
  'rss atom': ['feeds'],
  'report reports summary evidence document briefs': ['brief'],
  'repository repo board boards adapter': ['sources'],
  'adapters providers': ['platforms'],
}

const meant = new Map<string, string[]>()
for (const [words, commands] of Object.entries(meanings))
  for (const word of words.split(' ')) meant.set(word, [...(meant.get(word) ?? []), ...commands])

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
