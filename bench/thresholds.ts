import { parseArgs } from 'node:util'
import { corpora, hasCorpora } from '../scripts/detection/corpora.ts'
import {
  type Confidence,
  heldOutConfidences,
  heldOutIssues,
  heldOutPosts,
  readTrainingSet,
} from '../scripts/detection/cross-validation.ts'
import { curveOf, type Judged, pointAt, precisionAtRecall } from '../scripts/detection/curve.ts'
import { seededRandom } from '../scripts/detection/random.ts'
import { labelWeek } from '../src/requests/accuracy/testing.ts'
import { thresholdsBy } from '../src/requests/accuracy/thresholds.ts'
import { thresholdsOf } from '../src/requests/detection/detect.ts'
import { groupOf, type Thresholds } from '../src/requests/detection/weights-file.ts'
import { percentile, writeSection } from './report.ts'

// What the labels of an account give: simulated accounts label the draws of three weeks, and their thresholds move. Measured are the texts that were not
// drawn, which stand for those of their class. Confidences are those of models that saw nothing of the project or the forum.
//   node bench/thresholds.ts [--write]

const accounts = 200
const weeks = 3

interface Text extends Judged {
  platform: string
  confidence: number
  isRequest: boolean
}

const textsOf = (confidences: readonly Confidence[], platform: string): Text[] =>
  confidences.map(({ value, label }) => ({ platform, confidence: value, isRequest: label, value, label, weight: 1 }))

/** Texts without a label, each with the weight of those of its class that have one. */
function keptOut(texts: readonly Text[], labelled: ReadonlySet<Text>, { likely, maybe }: Thresholds): Judged[] {
  const classOf = ({ value }: Judged) => (value >= likely ? 2 : value >= maybe ? 1 : 0)
  return [...Map.groupBy(texts, classOf).values()].flatMap((ofClass) => {
    const left = ofClass.filter((text) => !labelled.has(text))
    return left.map((text) => ({ ...text, weight: (text.weight * ofClass.length) / left.length }))
  })
}

const shown = (figure: number) => figure.toFixed(2).replace(/^0/, '')
const mean = (figures: readonly number[]) => figures.reduce((sum, figure) => sum + figure, 0) / figures.length
const spread = (figures: readonly number[]) =>
  `${shown(mean(figures))} (${shown(percentile(figures, 0.1))} to ${shown(percentile(figures, 0.9))})`

function rowOf(name: string, texts: readonly Text[]): string {
  const { platform } = texts[0]!
  const common = thresholdsOf(platform)
  const results = Array.from({ length: accounts }, (_item, seed) => {
    const random = seededRandom(seed)
    const labelled = new Set<Text>()
    const labels = Array.from({ length: weeks }, () =>
      labelWeek(texts, [common.likely, common.maybe], random, labelled, 0),
    ).flat()
    const own = thresholdsBy(labels)[groupOf(platform)] ?? common
    const rest = keptOut(texts, labelled, common)
    return {
      own,
      before: pointAt(rest, common.likely),
      after: pointAt(rest, own.likely),
      ranked: precisionAtRecall(curveOf(rest), 0.5).precision,
      hidden: pointAt(rest, own.maybe).recall,
    }
  })
  const of = (figure: (result: (typeof results)[number]) => number) => spread(results.map(figure))
  const right = results.filter(({ ranked }) => ranked >= 0.75).length / accounts
  return `| ${[
    name,
    `${of(({ before }) => before.precision)}, ${of(({ before }) => before.recall)}`,
    `${of(({ after }) => after.precision)}, ${of(({ after }) => after.recall)}`,
    of(({ own }) => own.likely),
    of(({ hidden }) => hidden),
    `${of(({ ranked }) => ranked)}, ${Math.round(100 * right)} %`,
  ].join(' | ')} |`
}

function measure(isWritten: boolean): void {
  const set = readTrainingSet(console.error)
  const posts = heldOutConfidences(heldOutPosts(set, console.error))
  const issues = heldOutConfidences(heldOutIssues(set, console.error))
  const software = posts.filter(({ example }) => example.stratum !== 'any')
  const near = posts.filter(({ example }) => example.stratum === 'wishNearSoftware')
  const section = [
    '| texts of an account | before: P, R | after 60 labels: P, R | likely from | R with maybe | P at R .50, accounts from .75 |',
    '| --- | --- | --- | --- | --- | --- |',
    rowOf(`${posts.length} posts`, textsOf(posts, 'reddit')),
    rowOf(`${software.length} posts with a word of software`, textsOf(software, 'reddit')),
    rowOf(`${near.length} posts with a wish phrase near software`, textsOf(near, 'reddit')),
    ...[...Map.groupBy(issues, ({ example }) => example.group)].map(([project, texts]) =>
      rowOf(`project ${project}, ${texts.length} issues`, textsOf(texts, 'github')),
    ),
  ].join('\n')
  console.log(section)
  if (isWritten) writeSection('thresholds', section)
}

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
if (hasCorpora) measure(values.write)
else console.error(`skipped: the corpora are not at ${corpora} (set WISHWELL_SHARED to the folder that holds them)`)
