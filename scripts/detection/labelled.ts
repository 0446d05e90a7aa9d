import { readFileSync } from 'node:fs'
import { groupOf } from '../../src/requests/detection/weights-file.ts'
import type { Example } from './corpora.ts'

/** A line of a file of labelled texts, as `wishwell admin detection export` writes it; other fields are ignored. */
export interface LabelledText {
  title: string
  description: string
  platform: string
  tags: string[]
  label: boolean
}

export const readLabelled = (file: string): LabelledText[] => parseLabelled(readFileSync(file, 'utf8'))

/** Reads labelled texts, a JSON object a line. Only "\n" ends a line: texts contain U+2028. */
export const parseLabelled = (lines: string): LabelledText[] =>
  lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { title, description, platform, tags, label } = JSON.parse(line)
      return {
        title: title ?? '',
        description: description ?? '',
        platform: platform ?? '',
        tags: tags ?? [],
        label: label === true,
      }
    })

/** Labelled texts as examples for training. Their labels of the source are not trained, like those of all examples. */
export const correctionExamples = (texts: readonly LabelledText[]): Example[] =>
  texts.map(({ title, description, platform, label }) => ({
    origin: groupOf(platform) === 'tracker' ? 'trackerCorrection' : 'socialCorrection',
    group: `corrected ${platform}`,
    stratum: undefined,
    title,
    text: description,
    label,
  }))
