import { cruise, type ICruiseResult } from 'dependency-cruiser'
import rules from '../.dependency-cruiser.mjs'

// Holds the imports of src/, simulator/ and the page to rooms.json; part of `npm run check`.

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
if (summary.error > 0) process.exit(1)
console.log(`${modules.length} files, ${count} imports: every one points to a lower layer, and none is part of a cycle`)
