import { parseArgs } from 'node:util'
import { estimate, formulas, type Setup, setups } from './growth/estimate.ts'
import { type Inputs, readInputs } from './growth/figures.ts'
import { breaksOf, exceededBy } from './growth/limits.ts'
import { sectionsOf } from './growth/tables.ts'
import { writeSection } from './report.ts'

// Extrapolates measured figures to a billion requests: what each setup needs and does, what breaks first, and what it costs. It measures nothing: the
// figures are in growth/figures.json, each with its source, or in the tables that other benches wrote into docs/benchmarks.md, which come first.
// growth/estimate.ts has the formulas.
//   node bench/growth.ts [--write] [--json]
//     [--write]   writes the tables into docs/scaling.md

function asJson(inputs: Inputs) {
  const names = Object.keys(setups) as Setup[]
  const estimates = names.flatMap((setup) =>
    inputs.sizes.map((size) => {
      const of = estimate(inputs, setup, size)
      return { ...of, exceeds: exceededBy(inputs, of) }
    }),
  )
  const breaks = Object.fromEntries(names.map((setup) => [setup, breaksOf(inputs, setup)]))
  return { inputs, formulas, estimates, breaks }
}

const { values: options } = parseArgs({
  options: { write: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})
const inputs = readInputs()
const sections = Object.entries(sectionsOf(inputs))
if (options.json) console.log(JSON.stringify(asJson(inputs), null, 2))
else for (const [name, text] of sections) console.log(`${name}\n\n${text}\n`)
if (options.write) for (const [name, text] of sections) writeSection(name, text, 'scaling.md')
