import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { featureNames } from '../../src/wishes/pairs/features.ts'
import { isVetoed } from '../../src/wishes/pairs/scorer.ts'
import { corpora, groupsOf, hasCorpora, readTitanium } from './corpora.ts'
import { openCorpusDatabase } from './corpus-database.ts'
import { type Example, fitModel, type Model, probability } from './logistic-regression.ts'
import { comparePairs, type Pair } from './pairs.ts'

// Fits the weights by which pairs of requests are scored (src/wishes/pairs/weights.ts), on issues whose duplicates people marked, and prints
// precision and recall on issues that the weights were not fitted on: five folds, whole groups of duplicates at a time.
//   node scripts/wishes/fit.ts [--write]

const folds = 5
const penalty = 1
const thresholds = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
/** Chosen by reading joins; decision 046. */
const chosen = { joiningThreshold: 0.3, possiblySameThreshold: 0.05 }
const weightsFile = fileURLToPath(new URL('../../src/wishes/pairs/weights.ts', import.meta.url))

interface LabelledPair extends Pair {
  label: boolean
  fold: number
}

const hashOf = (text: string) => [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) >>> 0, 0)

/** The candidates of all issues that have marked duplicates. */
async function labelledPairs(): Promise<{ pairs: LabelledPair[]; marked: number }> {
  const issues = readTitanium()
  const groups = groupsOf(issues)
  const queries = issues.filter(({ id }) => groups.get(id)!.size > 1)
  const corpus = await openCorpusDatabase()
  try {
    const pairs = await comparePairs(corpus, queries, await corpus.store(issues))
    const marked = queries.reduce((sum, { id }) => sum + groups.get(id)!.size - 1, 0)
    return {
      marked,
      pairs: pairs.map((pair) => {
        const group = groups.get(pair.query)!
        return { ...pair, label: group.has(pair.candidate), fold: hashOf([...group].sort()[0]!) % folds }
      }),
    }
  } finally {
    await corpus.close()
  }
}

const exampleOf = ({ features, label }: LabelledPair): Example => ({ features, label, weight: 1 })

/** Each pair with the score of a model that was fitted without its group. */
function heldOutScores(pairs: readonly LabelledPair[]): { label: boolean; score: number; vetoed: boolean }[] {
  return Array.from({ length: folds }, (_, fold) => {
    const model = fitModel(pairs.filter((pair) => pair.fold !== fold).map(exampleOf), penalty)
    return pairs
      .filter((pair) => pair.fold === fold)
      .map(({ label, features }) => ({ label, score: probability(model, features), vetoed: isVetoed(features) }))
  }).flat()
}

function weightsSource({ weights, bias }: Model): string {
  const shown = (weight: number) => Number(weight.toFixed(4)).toString()
  return [
    "import type { featureNames } from './features.ts'",
    '',
    '/** Made by scripts/wishes/fit.ts, which says how; numbers only. */',
    'export const pairModel: {',
    '  weights: Readonly<Record<(typeof featureNames)[number], number>>',
    '  bias: number',
    '  joiningThreshold: number',
    '  possiblySameThreshold: number',
    '} = {',
    '  weights: {',
    ...featureNames.map((name, index) => `    ${name}: ${shown(weights[index]!)},`),
    '  },',
    `  bias: ${shown(bias)},`,
    `  joiningThreshold: ${chosen.joiningThreshold},`,
    `  possiblySameThreshold: ${chosen.possiblySameThreshold},`,
    '}',
    '',
  ].join('\n')
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
  const { pairs, marked } = await labelledPairs()
  const scores = heldOutScores(pairs)
  console.log(`${pairs.length} pairs, ${marked} marked as the same`)
  console.table(
    thresholds.map((threshold) => {
      const similar = scores.filter(({ score }) => score >= threshold)
      const joined = similar.filter(({ vetoed }) => !vetoed)
      const shareOf = (some: typeof scores, all: number) => (some.filter(({ label }) => label).length / all).toFixed(3)
      return {
        threshold,
        'similar pairs': similar.length,
        'precision at least': shareOf(similar, similar.length),
        recall: shareOf(similar, marked),
        joined: joined.length,
        'precision of joins at least': shareOf(joined, joined.length),
        'recall of joins': shareOf(joined, marked),
      }
    }),
  )
  const model = fitModel(pairs.map(exampleOf), penalty)
  const source = weightsSource(model)
  if (values.write) writeFileSync(weightsFile, source)
  else console.log(source)
}

if (hasCorpora) await main()
else console.error(`skipped: the corpora are not at ${corpora} (set WISHWELL_SHARED to the folder that holds them)`)
