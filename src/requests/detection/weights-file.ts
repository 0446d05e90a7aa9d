import { readFileSync } from 'node:fs'
import type { Calibration } from './calibration.ts'
import { blockCount, blocks, modelSize } from './features.ts'
import type { LinearModel } from './linear.ts'
import type { PlatformGroup } from './platform-groups.ts'

/** A change of the features needs a new version: weights fit only the features that they were trained with. */
const version = 1
const magic = 'WISHDET\0'
export const maxFileBytes = 128 * 1024
const groups: readonly PlatformGroup[] = ['tracker', 'social']

/** Confidences from which a text is likely, and maybe, a wish. */
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
  /** Bits of the table of each block. */
  bits: number[]
  groups: { name: PlatformGroup; bias: number; scales: number[]; calibration: Calibration; thresholds: Thresholds }[]
}

/** The file: 8 bytes of magic, the length of the header (32 bits, little-endian), the header as JSON, the weights of each group. */
export function writeDetector(detector: Detector): Buffer {
  const header: Header = {
    version,
    bits: blocks.map(({ bits }) => bits),
    groups: groups.map((name) => {
      const { model, calibration, thresholds } = detector[name]
      return { name, bias: model.bias, scales: [...model.scales], calibration, thresholds }
    }),
  }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  const weights = groups.map((name) => Buffer.from(detector[name].model.weights.buffer))
  return Buffer.concat([Buffer.from(magic, 'latin1'), length, json, ...weights])
}

/** @throws Error when the file is not one of this version and these features. */
export function parseDetector(file: Buffer): Detector {
  const start = magic.length + 4
  if (file.length < start || file.toString('latin1', 0, magic.length) !== magic)
    throw new Error('the weights of the detection are not in their format')
  const end = start + file.readUInt32LE(magic.length)
  const header: Header = JSON.parse(file.toString('utf8', start, end))
  const isFit = header.version === version && header.bits.length === blockCount
  if (!isFit || blocks.some(({ bits }, block) => header.bits[block] !== bits))
    throw new Error('the weights of the detection are of another version: run npm run train:detection')
  if (file.length !== end + groups.length * modelSize) throw new Error('the weights of the detection are cut')
  const entries = header.groups.map(({ name, bias, scales, calibration, thresholds }, index) => {
    const from = end + index * modelSize
    const weights = new Int8Array(Uint8Array.from(file.subarray(from, from + modelSize)).buffer)
    return [name, { model: { weights, scales, bias }, calibration, thresholds }]
  })
  return Object.fromEntries(entries)
}

export const weightsFile: URL = new URL('weights.bin', import.meta.url)

let detector: Detector | undefined

/** The weights of the project, read once. */
export function projectDetector(): Detector {
  detector ??= parseDetector(readFileSync(weightsFile))
  return detector
}
