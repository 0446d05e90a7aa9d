import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  type GroupModel,
  maxFileBytes,
  type PlatformGroup,
  probabilityOf,
  type Thresholds,
  weightsFile,
  writeDetector,
} from '../../src/requests/detection/weights-file.ts'
import { corpora, hasCorpora } from './corpora.ts'
import {
  type HeldOut,
  heldOutIssues,
  heldOutPosts,
  readTrainingSet,
  type TrainingSet,
  trainModel,
} from './cross-validation.ts'
import { curveOf, type Point } from './curve.ts'
import { correctionExamples, readLabelled } from './labelled.ts'
import { fitCalibration } from './platt.ts'

// Trains the weights of the detection, src/requests/detection/weights.bin, from the corpora: the same file from the same corpora.
//   npm run train:detection
//   npm run train:detection -- --labelled FILE.jsonl      also from the corrections of a service (wishwell admin detection export)

/** Likely are texts from the confidence with this recall on, maybe those from a higher one on; of texts that no model has seen. */
const recalls: Record<PlatformGroup, Thresholds> = {
  tracker: { likely: 0.79, maybe: 0.93 },
  social: { likely: 0.57, maybe: 0.87 },
}

const start = performance.now()
const progress = (line: string) =>
  console.log(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${line}`)

const firstWithRecall = (points: readonly Point[], recall: number) =>
  Number(points.find((point) => point.recall >= recall)!.threshold.toFixed(4))

function groupModel(set: TrainingSet, group: PlatformGroup, heldOut: readonly HeldOut[]): GroupModel {
  const calibration = fitCalibration(heldOut)
  const points = curveOf(
    heldOut.map(({ score, label, weight }) => {
      return { value: probabilityOf(calibration.slope * score + calibration.offset), label, weight }
    }),
  )
  const thresholds = {
    likely: firstWithRecall(points, recalls[group].likely),
    maybe: firstWithRecall(points, recalls[group].maybe),
  }
  const model = trainModel(set, group, () => true)
  progress(`${group}: trained on everything; likely from ${thresholds.likely}, maybe from ${thresholds.maybe}`)
  return { model, calibration, thresholds }
}

if (!hasCorpora) {
  console.error(`skipped: the corpora are not at ${corpora} (set WISHWELL_SHARED to the folder that holds them)`)
} else {
  const { values } = parseArgs({ options: { labelled: { type: 'string' } } })
  const corrections = values.labelled === undefined ? [] : correctionExamples(readLabelled(values.labelled))
  const set = readTrainingSet(progress, corrections)
  const tracker = groupModel(set, 'tracker', heldOutIssues(set, progress))
  const social = groupModel(set, 'social', heldOutPosts(set, progress))
  const file = writeDetector({ tracker, social })
  if (file.length > maxFileBytes) throw new Error(`the weights have ${file.length} bytes, more than ${maxFileBytes}`)
  writeFileSync(weightsFile, file)
  progress(`wrote ${file.length} bytes`)
}
