import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { corpora, hasCorpora } from '../scripts/detection/corpora.ts'
import {
  type Confidence,
  type HeldOut,
  heldOutConfidences,
  heldOutIssues,
  heldOutPosts,
  readTrainingSet,
} from '../scripts/detection/cross-validation.ts'
import { bestF1, curveOf, type Judged, type Point, pointAt, precisionAtRecall } from '../scripts/detection/curve.ts'
import { parseLabelled, readLabelled } from '../scripts/detection/labelled.ts'
import { seededRandom } from '../scripts/detection/random.ts'
import { kinds, readWritten } from '../scripts/detection/written.ts'
import { detect, thresholdsOf, type WishClass } from '../src/requests/detection/detect.ts'
import { groupOf } from '../src/requests/detection/weights-file.ts'
import { thresholdsBy } from '../src/requests/views/strictness.ts'
import { measureLabelled, morePhrases, phrases } from './detection-labelled.ts'
import { writeSection } from './report.ts'

// How well wishes are told from other texts. Without labelled texts: of the corpora, each text by a model that was trained without its project or forum,
// from its text alone.
//   node bench/detection.ts --labelled FILE.jsonl      lines {"title", "description", "platform", "tags", "label"}; `-` reads stdin
//   node bench/detection.ts [--write]

const resamples = 300

/** The middle 95 % of a figure over texts drawn again, whole forums at a time for posts (Efron's bootstrap). */
function intervalOf(units: readonly Judged[][], figure: (judged: Judged[]) => number): string {
  const random = seededRandom(95)
  const figures = Array.from({ length: resamples }, () => {
    const drawn = Array.from({ length: units.length }, () => units[Math.floor(random() * units.length)]!)
    return figure(drawn.flat())
  }).sort((one, other) => one - other)
  const at = (share: number) => shown(figures[Math.floor(share * (resamples - 1))]!)
  return `${at(0.025)}–${at(0.975)}`
}

const shown = (figure: number) => figure.toFixed(2).replace(/^0/, '')

function unitsOf(confidences: readonly Confidence[], isByGroup: boolean): Judged[][] {
  if (!isByGroup) return confidences.map((text) => [text])
  return [...Map.groupBy(confidences, ({ example }) => example.group).values()]
}

const row = (name: string, { precision, recall, f1 }: Point, interval = '') =>
  `| ${name} | ${shown(precision)} | ${shown(recall)} | ${shown(f1)} | ${interval} |`

function phraseRow(name: string, texts: readonly Confidence[], pattern: RegExp): string {
  const found = texts.map(({ example, label, weight }) => {
    return { value: pattern.test(`${example.title}\n${example.text}`) ? 1 : 0, label, weight }
  })
  return row(name, pointAt(found, 1))
}

function rowsOf(name: string, confidences: readonly Confidence[], platform: string, isByGroup: boolean): string[] {
  const { likely, maybe } = thresholdsOf(platform)
  const strict = thresholdsBy('strict')[groupOf(platform)]!.likely
  const units = unitsOf(confidences, isByGroup)
  const interval = (threshold: number) =>
    (['precision', 'recall', 'f1'] as const)
      .map((figure) => intervalOf(units, (judged) => pointAt(judged, threshold)[figure]))
      .join(', ')
  const curve = curveOf(confidences)
  const between = confidences.map(({ value, label, weight }) => ({ value: value < likely ? value : 0, label, weight }))
  return [
    row(`${name}: likely`, pointAt(confidences, likely), interval(likely)),
    row(`${name}: likely for a strict account`, pointAt(confidences, strict), interval(strict)),
    row(`${name}: likely and maybe`, pointAt(confidences, maybe), interval(maybe)),
    row(`${name}: maybe alone`, pointAt(between, maybe)),
    row(`${name}: best F1`, bestF1(curve)),
    ...[0.5, 0.6, 0.8].map((recall) => {
      const precision = (judged: Judged[]) => precisionAtRecall(curveOf(judged), recall).precision
      return row(`${name}: at recall ${recall}`, precisionAtRecall(curve, recall), intervalOf(units, precision))
    }),
    phraseRow(`${name}: 4 phrases`, confidences, phrases),
    phraseRow(`${name}: 13 phrases`, confidences, morePhrases),
  ]
}

/** Of the texts that were written for this project and never trained on: how many of each kind are judged right, by the weights of the product. */
function kindRows(): string[] {
  const written = readWritten().filter(({ isHeldOut }) => isHeldOut)
  return [...Map.groupBy(written, ({ kind }) => kind)].map(([kind, texts]) => {
    const { label, platform } = kinds[kind]
    const classes = texts.map(({ title, text }) => detect({ title, description: text, platform, tags: [] }).wish)
    const share = (isRight: (wish: WishClass) => boolean) => shown(classes.filter(isRight).length / classes.length)
    const [likely, offered] = [share((wish) => wish === 'likely'), share((wish) => wish !== 'unlikely')]
    return `| ${kind} | ${label ? 'a wish' : 'no wish'} | ${texts.length} | ${likely} | ${offered} |`
  })
}

function timePerText(heldOut: readonly HeldOut[], platform: string): number {
  const texts = heldOut
    .slice(0, 5_000)
    .map(({ example: { title, text } }) => ({ title, description: text, platform, tags: [] }))
  for (const text of texts) detect(text)
  const start = performance.now()
  for (const text of texts) detect(text)
  return (performance.now() - start) / texts.length
}

function measureCorpora(isWritten: boolean): void {
  const set = readTrainingSet(console.error)
  const heldOut = { issues: heldOutIssues(set, console.error), posts: heldOutPosts(set, console.error) }
  const issues = heldOutConfidences(heldOut.issues)
  const posts = heldOutConfidences(heldOut.posts)
  const nearSoftware = posts.filter(({ example }) => example.stratum === 'wishNearSoftware')
  const projects = [...Map.groupBy(issues, ({ example }) => example.group)].map(([project, texts]) =>
    row(`project ${project}, ${texts.length} issues: likely`, pointAt(texts, thresholdsOf('github').likely)),
  )
  const table = [
    '| held-out texts | precision | recall | F1 | 95 % of P, R, F1 |',
    '| --- | --- | --- | --- | --- |',
    ...rowsOf(`${issues.length} issues`, issues, 'github', false),
    ...projects,
    ...rowsOf(`${posts.length} posts`, posts, 'reddit', true),
    ...rowsOf(`${nearSoftware.length} posts with a wish phrase near software`, nearSoftware, 'reddit', true),
  ].join('\n')
  const kindTable = [
    '| kind of written texts | is | texts | share likely | likely or maybe |',
    '| --- | --- | --- | --- | --- |',
    ...kindRows(),
  ].join('\n')
  const time = `A text takes ${timePerText(heldOut.issues, 'github').toFixed(3)} ms (issues) or ${timePerText(heldOut.posts, 'reddit').toFixed(3)} ms (posts).`
  const section = [table, kindTable, time].join('\n\n')
  console.log(section)
  if (isWritten) writeSection('detection', section)
}

const { values } = parseArgs({ options: { labelled: { type: 'string' }, write: { type: 'boolean', default: false } } })
if (values.labelled === '-') measureLabelled(parseLabelled(await text(process.stdin)))
else if (values.labelled !== undefined) measureLabelled(readLabelled(values.labelled))
else if (hasCorpora) measureCorpora(values.write)
else console.error(`skipped: the corpora are not at ${corpora} (set WISHWELL_SHARED to the folder that holds them)`)
