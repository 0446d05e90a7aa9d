import { globSync, readFileSync } from 'node:fs'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import rules from '../.dependency-cruiser.mjs'

// Holds the imports of src/, simulator/ and the page, and the calls of parsers in src/, to rooms.json; part of `npm run check`.

const { options, ...ruleSet } = rules
const { output } = await cruise(['src', 'simulator', 'dashboard/src'], { ...options, validate: true, ruleSet })
const { summary, modules } = output as ICruiseResult
for (const { from, to, rule, cycle } of summary.violations) {
  const path = cycle ? cycle.map(({ name }) => name).join(' → ') : to
  console.error(`${rule.name}: ${from} → ${path}`)
  const comment = ruleSet.forbidden.find(({ name }) => name === rule.name)?.comment
  if (comment) console.error(`  ${comment}`)
}
const count = summary.totalDependenciesCruised ?? 0
// A parser that reads nothing would report no violation either.
if (modules.length < 100 || count < 500) throw new Error(`only ${modules.length} files and ${count} imports were read`)

/** The folder of a file within its room, such as `wishes/marks`. */
const innerFolder = (file: string) => /^src\/([^/]+\/[^/]+)\//.exec(file)?.[1]
const isTest = (file: string) => /(\.test|\/testing|\/recordings|-testing)\.ts$/.test(file)
const ways = new Map<string, string>()
for (const { source, dependencies } of modules.filter((one) => !isTest(one.source))) {
  for (const { resolved } of dependencies) {
    const [from, to] = [innerFolder(source), innerFolder(resolved)]
    if (from && to && from !== to && from.split('/')[0] === to.split('/')[0])
      ways.set(`${from} → ${to}`, `${source} → ${resolved}`)
  }
}
const bothWays = [...ways].flatMap(([way, example]) => {
  const back = ways.get(way.split(' → ').reverse().join(' → '))
  return back === undefined ? [] : [`${way}, and back: ${example}; ${back}`]
})
for (const fault of bothWays) console.error(`inner folders import each other: ${fault}`)

const { about, ...parsers } = JSON.parse(readFileSync('rooms.json', 'utf8')).parsers as Record<string, object>
const product = globSync('src/**/*.ts', { exclude: ['**/*test.ts', '**/*testing.ts'] })
const strayFiles = Object.entries(parsers).flatMap(([parser, files]) => {
  // A method is called, a package is imported, perhaps only then when it is needed.
  const call = parser.includes('.') ? parser : `'${parser}'`
  const callers = product.filter((file) => readFileSync(file, 'utf8').includes(call))
  const stray = callers.filter((file) => !(file in files)).map((file) => `${file} calls ${parser}`)
  const gone = Object.keys(files).filter((file) => !callers.includes(file))
  return [...stray, ...gone.map((file) => `${file} calls ${parser} no more`)]
})
for (const fault of strayFiles) console.error(`parsers of rooms.json: ${fault}\n  ${about}`)
if (summary.error > 0 || strayFiles.length > 0 || bothWays.length > 0) process.exit(1)
console.log(`${modules.length} files, ${count} imports: every one points to a lower layer, and none is part of a cycle`)
