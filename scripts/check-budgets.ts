import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { environmentSchema } from '../src/app/config.ts'
import { createProgram } from '../src/cli/program.ts'

// Holds the project to the budgets of rooms.json; part of `npm run check`. What wants more room makes room.

/** What a budget counts, by the name of the budget; `lines`, `data` and the like are by room or by kind. */
export type Counts = Record<string, number | Record<string, number>>

const isTest = (file: string) => /(^test\/|test\.tsx?$|testing\.ts$)/.test(file)
const linesIn = (text: string) => text.split('\n').length - 1
const wordsIn = (text: string) => text.split(/\s+/).filter(Boolean).length

/** Sums a measure of files by a key of each; null leaves a file out. */
function sumBy(files: readonly string[], keyOf: (file: string) => string | null, measure: (text: Buffer) => number) {
  const sums: Record<string, number> = {}
  for (const file of files) {
    const key = keyOf(file)
    if (key !== null) sums[key] = (sums[key] ?? 0) + measure(readFileSync(file))
  }
  return sums
}

/** Counts what the budgets bound. @param files paths from the root of the repository */
export async function countAll(files: readonly string[]): Promise<Counts> {
  const lines = (text: Buffer) => linesIn(text.toString())
  const product = files.filter((file) => /^src\/.*\.ts$/.test(file) && !isTest(file))
  const roomOf = (file: string) => /^src\/([^/]+)(?=\/)/.exec(file)?.[1] ?? 'src'
  const document = JSON.parse(readFileSync('client/openapi.json', 'utf8')) as { paths: Record<string, object> }
  const methods = ['get', 'post', 'put', 'patch', 'delete']
  const commandsOf = ({ commands }: { commands: readonly unknown[] }): number =>
    commands.length === 0
      ? 1
      : commands.reduce((sum: number, one) => sum + commandsOf(one as { commands: readonly unknown[] }), 0)
  const byRoom = sumBy(product, roomOf, lines)
  const data = sumBy(
    files,
    (file) => (/^src\/.*\.(json|txt|bin)$/.test(file) ? roomOf(file) : null),
    (text) => text.length,
  )
  const ofFiles = files.filter((file) => /\.(m?ts|mjs|tsx)$/.test(file) && !file.startsWith('client/') && !isTest(file))
  return {
    lines: byRoom,
    'lines of src': Object.values(byRoom).reduce((sum, one) => sum + one, 0),
    'bytes of data': data,
    'lines of a file': Math.max(...ofFiles.map((file) => lines(readFileSync(file)))),
    'lines of the page': sumBy(files, (file) => (isPage(file) ? 'page' : null), lines).page ?? 0,
    'words of documents':
      sumBy(
        files,
        (file) => (file.endsWith('.md') ? 'all' : null),
        (text) => wordsIn(text.toString()),
      ).all ?? 0,
    calls: Object.values(document.paths).flatMap((path) => Object.keys(path).filter((one) => methods.includes(one)))
      .length,
    commands: commandsOf(await createProgram()),
    settings: Object.keys(environmentSchema.properties as object).length,
    tables: files
      .filter((file) => /^src\/database\/schema\/.*\.sql$/.test(file))
      .reduce((sum, file) => sum + (readFileSync(file, 'utf8').match(/^create (unlogged )?table/gim)?.length ?? 0), 0),
  }
}

const isPage = (file: string) => /^dashboard\/src\/.*\.(tsx?|css)$/.test(file) && !file.includes('/messages/')

/** What is above its budget, or has none, a line each. */
export function overBudget(counts: Counts, budgets: Counts): string[] {
  return Object.entries(counts).flatMap(([name, count]) => {
    const budget = budgets[name]
    if (typeof count === 'object')
      return overBudget(count, (budget ?? {}) as Record<string, number>).map((fault) => `${name}: ${fault}`)
    if (typeof budget !== 'number') return [`${name}: no budget`]
    return count > budget ? [`${name}: ${count}, and the budget is ${budget}`] : []
  })
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  const present = files.split('\n').filter((file) => file !== '')
  const { about, ...budgets } = (JSON.parse(readFileSync('rooms.json', 'utf8')).budgets ?? {}) as Counts
  const counts = await countAll(present)
  if (process.argv.includes('--print')) console.log(JSON.stringify(counts, null, 2))
  const faults = overBudget(counts, budgets)
  for (const fault of faults) console.error(`budgets of rooms.json: ${fault}`)
  if (faults.length > 0) {
    console.error(`  ${about}`)
    process.exit(1)
  }
}
