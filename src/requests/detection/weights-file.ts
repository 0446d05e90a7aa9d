import { readFileSync } from 'node:fs'
import { blockCount, blocks, type Features, modelSize } from './features.ts'

/** Tracker texts are about one product and mostly long; social posts are about anything. */
export type PlatformGroup = 'tracker' | 'social'

export const trackers: ReadonlySet<string> = new Set([
  'github',
  'gitlab',
  'fider',
  'jira',
  'bugzilla',
  'redmine',
  'gitea',
  'bitbucket',
])

/** The group of a platform. Unknown platforms are social, which needs more evidence. */
export const groupOf = (platform: string): PlatformGroup =>
  trackers.has(platform.toLowerCase()) ? 'tracker' : 'social'

/** 8-bit integer weights for every table position, with a scale per block. */
export interface LinearModel {
  weights: Int8Array
  scales: readonly number[]
  bias: number
}

/** The log-odds before calibration. */
export function scoreOf(model: LinearModel, { positions, ends, values }: Features): number {
  const { weights, scales } = model
  let score = model.bias
  let index = 0
  for (let block = 0; block < blockCount; block += 1) {
    let sum = 0
    for (const end = ends[block]!; index < end; index += 1) sum += weights[positions[index]!]!
    score += sum * scales[block]! * values[block]!
  }
  return score
}

/** Log-odds of a wish from a model's score: `slope * score + offset` (Platt scaling, 1999), with slope > 0. */
export interface Calibration {
  slope: number
  offset: number
}

/** Caps a text's evidence, so that the sum with other evidence stays finite. */
const maxLogOdds = 12

export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** @returns log-odds from -12 to 12, increasing with the score. */
export function calibrated(score: number, { slope, offset }: Calibration): number {
  return Math.min(maxLogOdds, Math.max(-maxLogOdds, slope * score + offset))
}

/** Increase with every change of the features: weights fit only the features they were trained on. */
const version = 1
const magic = 'WISHDET\0'
export const maxFileBytes = 128 * 1024
export const platformGroups: readonly PlatformGroup[] = ['tracker', 'social']

/** The confidences from which a text is likely, or maybe, a wish. */
export interface Thresholds {
  likely: number
  maybe: number
}

export interface GroupModel {
  model: LinearModel
  calibration: Calibration
  thresholds: Thresholds
}

export type Detector = Readonly<Record<PlatformGroup, GroupModel>>

interface Header {
  version: number
  bits: number[]
  groups: { name: PlatformGroup; bias: number; scales: number[]; calibration: Calibration; thresholds: Thresholds }[]
}

/** Serializes the detector: 8 magic bytes, header length (uint32 LE), JSON header, the weights of each group. */
export function writeDetector(detector: Detector): Buffer {
  const header: Header = {
    version,
    bits: blocks.map(({ bits }) => bits),
    groups: platformGroups.map((name) => {
      const { model, calibration, thresholds } = detector[name]
      return { name, bias: model.bias, scales: [...model.scales], calibration, thresholds }
    }),
  }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  const weights = platformGroups.map((name) => Buffer.from(detector[name].model.weights.buffer))
  return Buffer.concat([Buffer.from(magic, 'latin1'), length, json, ...weights])
}

/** @throws Error unless the file fits this version and these features. */
export function parseDetector(file: Buffer): Detector {
  const start = magic.length + 4
  if (file.length < start || file.toString('latin1', 0, magic.length) !== magic)
    throw new Error('the weights of the detection are not in their format')
  const end = start + file.readUInt32LE(magic.length)
  const header: Header = JSON.parse(file.toString('utf8', start, end))
  const isFit = header.version === version && header.bits.length === blockCount
  if (!isFit || blocks.some(({ bits }, block) => header.bits[block] !== bits))
    throw new Error('the weights of the detection are of another version: run npm run train:detection')
  if (file.length !== end + platformGroups.length * modelSize) throw new Error('the weights of the detection are cut')
  const entries = header.groups.map(({ name, bias, scales, calibration, thresholds }, index) => {
    const from = end + index * modelSize
    const weights = new Int8Array(Uint8Array.from(file.subarray(from, from + modelSize)).buffer)
    return [name, { model: { weights, scales, bias }, calibration, thresholds }]
  })
  return Object.fromEntries(entries)
}

export const weightsFile: URL = new URL('weights.bin', import.meta.url)

let detector: Detector | undefined

/** The project's weights, read once. */
export function projectDetector(): Detector {
  detector ??= parseDetector(readFileSync(weightsFile))
  return detector
}
