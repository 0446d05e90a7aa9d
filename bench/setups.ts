import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { corpusFile, readCorpus } from './engines/corpus.ts'
import { type Setup, setups } from './growth/estimate.ts'
import { positive } from './options.ts'
import { writeSection } from './report.ts'
import { callers } from './search-measure.ts'
import { type BenchCluster, startCluster } from './setups/cluster.ts'
import { createProgress, type Progress } from './setups/progress.ts'
import { missedGoals, reportOf } from './setups/report.ts'
import type { Results } from './setups/results.ts'
import { runSetups } from './setups/run.ts'

// The same requests in every setup: an embedded database, and a Postgres that is searched by tsvector, by a local index, by OpenSearch of two nodes and, where
// TEST_PG_TEXTSEARCH names the extension (test/README.md), by BM25. Searches through HTTP, quality, builds, sizes, and how soon searches find what was stored.
//   node bench/setups.ts [--size 200000] [--setups embedded,tsvector,local,openSearch,bm25] [--seconds 5] [--rounds 200] [--written 200]
//     [--keep DIR] [--no-quality] [--no-goals] [--json] [--write]
//     --written     requests a second that a writer stores in half of the measurements of visibility
//     --keep DIR    stores the loaded databases there, and reuses those that are there; other users must be able to reach it
//     --no-goals    ends with 0 also where quality or visibility are not as they must be

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '200000' },
    setups: { type: 'string', default: Object.keys(setups).join(',') },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '200' },
    written: { type: 'string', default: '200' },
    keep: { type: 'string' },
    'no-quality': { type: 'boolean', default: false },
    'no-goals': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

/** The setups that can be measured here. @param skipped gets why another one cannot */
async function chooseSetups(
  skipped: string[],
  progress: Progress,
): Promise<{ chosen: Setup[]; cluster: BenchCluster | null }> {
  const names = options.setups.split(',')
  const unknown = names.find((name) => !(name in setups))
  if (unknown !== undefined) throw new Error(`--setups are ${Object.keys(setups).join(', ')}`)
  let chosen = (Object.keys(setups) as Setup[]).filter((name) => names.includes(name))
  const skip = (setup: Setup, reason: string) => {
    chosen = chosen.filter((name) => name !== setup)
    skipped.push(`${setups[setup]}: ${reason}`)
  }
  if (chosen.includes('bm25') && (process.env.TEST_PG_TEXTSEARCH ?? '') === '') {
    skip('bm25', 'TEST_PG_TEXTSEARCH names no build of pg_textsearch for Postgres 18')
  }
  if (chosen.includes('openSearch')) progress.step('OpenSearch: starting', 1)
  const cluster = chosen.includes('openSearch') ? await startCluster() : null
  if (typeof cluster !== 'string') return { chosen, cluster }
  skip('openSearch', cluster)
  return { chosen, cluster: null }
}

async function main(): Promise<void> {
  if (!existsSync(corpusFile)) {
    console.log(`skipped: no corpus at ${corpusFile} (set WISHWELL_SHARED to the folder that holds it)`)
    return
  }
  const skipped: string[] = []
  const progress = createProgress(process.stderr)
  const { chosen, cluster } = await chooseSetups(skipped, progress)
  for (const reason of skipped) progress.note(`skipped: ${reason}`)
  try {
    const measured = await runSetups({
      chosen,
      cluster,
      corpus: readCorpus(),
      size: positive(options, 'size'),
      seconds: positive(options, 'seconds'),
      rounds: positive(options, 'rounds'),
      written: positive(options, 'written'),
      kept: options.keep === undefined ? undefined : resolve(options.keep),
      hasQuality: !options['no-quality'],
      progress,
    })
    report({
      when: new Date().toISOString().slice(0, 10),
      cores: cpus().length,
      model: cpus()[0]?.model ?? 'unknown',
      ...measured,
      skipped: [...skipped, ...measured.skipped],
    })
  } finally {
    progress.stop()
    await cluster?.stop()
  }
}

function report(results: Results): void {
  const text = reportOf(results)
  console.log(options.json ? JSON.stringify(results, null, 2) : text)
  if (options.write) writeSection('setups', text)
  const missed = missedGoals(results)
  for (const what of missed) console.error(what)
  if (missed.length > 0 && !options['no-goals']) process.exitCode = 1
}

await main().finally(() => callers.kill())
