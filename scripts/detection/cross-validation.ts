import { createHash } from 'node:crypto'
import { featuresOf } from '../../src/requests/detection/features.ts'
import {
  calibrated,
  type LinearModel,
  type PlatformGroup,
  probabilityOf,
  scoreOf,
} from '../../src/requests/detection/weights-file.ts'
import { type Example, type Origin, readChats, readForum, readTitanium } from './corpora.ts'
import { inForms } from './forms.ts'
import { train } from './logistic.ts'
import { type Matrix, matrixOf } from './matrix.ts'
import { fitCalibration, type Scored } from './platt.ts'
import { quantised } from './quantise.ts'
import { writtenExamples } from './written.ts'

const seed = 1
const socialFolds = 10
/** Issue trackers hold bugs, questions and wishes: a third is taken for wishes, whatever the share in one corpus. */
const trackerWishShare = 1 / 3
/** Of the posts without a label this share is used, as chatter. Posts with a wish phrase near software are none: one in four of them is a wish. */
const unlabelledShare = 0.5

/** Questions about software are what an issue tracker has and titanium lacks: for trackers each counts as much as two issues. */
const isQuestion = ({ stratum, title }: Pick<Example, 'stratum' | 'title'>) =>
  stratum === 'software' && /\?|^(?:how|what|why|can|is|help|question)\b/i.test(title)
const trackerQuestion = 2

/** How much a text of each origin counts, and how the wishes are balanced: 1 would be as much as everything else of their origin. */
const importances: Record<PlatformGroup, Record<Origin, number> & { balance: number }> = {
  tracker: {
    titanium: 1,
    form: 1,
    chat: 1,
    forum: 0.5,
    selected: 0.2,
    unlabelled: 0.08,
    writtenIssue: 2,
    writtenPost: 0,
    trackerCorrection: 1,
    socialCorrection: 0.5,
    balance: 0.6,
  },
  social: {
    titanium: 0.05,
    form: 0,
    chat: 1,
    forum: 6,
    selected: 12,
    unlabelled: 0.4,
    writtenIssue: 0,
    writtenPost: 2,
    trackerCorrection: 0.05,
    socialCorrection: 6,
    balance: 0.4,
  },
}

/** A number in [0, 1) that depends on the text alone. */
const rankOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32

export interface TrainingSet {
  examples: readonly Example[]
  matrix: Matrix
  labels: Uint8Array
}

/** Reads the corpora. @param corrections further examples: they are in every model, and never held out. */
export function readTrainingSet(progress: (line: string) => void, corrections: readonly Example[] = []): TrainingSet {
  const titanium = readTitanium()
  const chats = readChats()
  const posts = readForum().filter(({ origin, stratum, group, title }) => {
    if (origin !== 'unlabelled') return true
    return (
      stratum !== 'wishNearSoftware' &&
      (rankOf(`${group} ${title}`) < unlabelledShare || isQuestion({ stratum, title }))
    )
  })
  const texts = [...titanium, ...chats, ...posts]
  const examples = [...texts, ...inForms(texts), ...writtenExamples(), ...corrections]
  progress(`read ${examples.length} texts`)
  const matrix = matrixOf(examples)
  progress('hashed their features')
  return { examples, matrix, labels: Uint8Array.from(examples, ({ label }) => (label ? 1 : 0)) }
}

/** A model of the examples that `isUsed` names. */
export function trainModel(set: TrainingSet, group: PlatformGroup, isUsed: (example: Example) => boolean): LinearModel {
  const { balance, ...byOrigin } = importances[group]
  const sums = new Map<Origin, { wishes: number; others: number }>()
  for (const example of set.examples) {
    if (!isUsed(example)) continue
    const sum = sums.get(example.origin) ?? { wishes: 0, others: 0 }
    sums.set(example.origin, sum)
    if (example.label) sum.wishes += 1
    else sum.others += 1
  }
  const importance = Float32Array.from(set.examples, (example) => {
    if (!isUsed(example)) return 0
    const { wishes, others } = sums.get(example.origin)!
    if (group === 'tracker' && example.origin === 'unlabelled' && isQuestion(example)) return trackerQuestion
    // Corrections may have one label only.
    return byOrigin[example.origin] * (example.label && others > 0 ? (balance * others) / wishes : 1)
  })
  return quantised(train(set.matrix, set.labels, importance, seed))
}

/** A text and what a model that saw nothing of its group says about it. */
export interface HeldOut extends Scored {
  example: Example
  /** With which others it was held out. */
  fold: number
}

const textScore = (model: LinearModel, { title, text }: Example) => scoreOf(model, featuresOf(title, text))
const foldOfForum = ({ group }: Example, folds: number) => Math.floor(rankOf(`fold ${group}`) * folds)
const isOfForum = ({ stratum }: Example) => stratum !== undefined

/** Trackers: one project of titanium left out after the other. */
export function heldOutIssues(set: TrainingSet, progress: (line: string) => void): HeldOut[] {
  const issues = set.examples.filter(({ origin }) => origin === 'titanium')
  return [...new Set(issues.map(({ group }) => group))].flatMap((project, fold) => {
    const isOfProject = ({ origin, group }: Example) =>
      (origin === 'titanium' || origin === 'form') && group === project
    const model = trainModel(set, 'tracker', (example) => !isOfProject(example))
    const texts = issues.filter(isOfProject)
    const wishes = texts.filter(({ label }) => label).length
    const weightOfOther = (wishes * (1 / trackerWishShare - 1)) / (texts.length - wishes)
    progress(`trained without project ${project}: ${texts.length} issues, ${wishes} wishes`)
    return texts.map((example) => {
      const { label } = example
      return { example, fold, score: textScore(model, example), label, weight: label ? 1 : weightOfOther }
    })
  })
}

/** Social platforms: the labelled posts of a tenth of the subreddits after the other. */
export function heldOutPosts(set: TrainingSet, progress: (line: string) => void): HeldOut[] {
  return Array.from({ length: socialFolds }, (_item, fold) => fold).flatMap((fold) => {
    const isHeldOut = (example: Example) => isOfForum(example) && foldOfForum(example, socialFolds) === fold
    const model = trainModel(set, 'social', (example) => !isHeldOut(example))
    const texts = set.examples.filter((example) => example.origin === 'forum' && isHeldOut(example))
    progress(`trained without tenth ${fold + 1} of the forums: ${texts.length} labelled posts`)
    return texts.map((example) => {
      return { example, fold, score: textScore(model, example), label: example.label, weight: 1 }
    })
  })
}

/** A held-out text with its calibrated confidence. */
export interface Confidence {
  value: number
  label: boolean
  weight: number
  example: Example
}

/** Confidences of held-out texts: those of a fold are calibrated by the other folds, as those of a new project or forum are. */
export function heldOutConfidences(heldOut: readonly HeldOut[]): Confidence[] {
  return [...new Set(heldOut.map(({ fold }) => fold))].flatMap((held) => {
    const calibration = fitCalibration(heldOut.filter(({ fold }) => fold !== held))
    const texts = heldOut.filter(({ fold }) => fold === held)
    return texts.map(({ score, label, weight, example }) => {
      return { value: probabilityOf(calibrated(score, calibration)), label, weight, example }
    })
  })
}
