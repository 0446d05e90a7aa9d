import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Example } from '../../scripts/detection/corpora.ts'
import { trainModel } from '../../scripts/detection/cross-validation.ts'
import { correctionExamples } from '../../scripts/detection/labelled.ts'
import { matrixOf } from '../../scripts/detection/matrix.ts'
import { featuresOf } from '../../src/requests/detection/features.ts'
import { type LinearModel, scoreOf } from '../../src/requests/detection/weights-file.ts'

// What people said is trained into the model of the group of its platform.
describe('the training on labelled texts', () => {
  const textOf = (label: boolean, index: number, platform: string) => ({
    title: `${label ? 'please add a purple button' : 'it crashes with an error'} ${'abcdefgh'[index % 8]}`,
    description: '',
    platform,
    tags: [],
    label,
  })
  const texts = (platform: string) => Array.from({ length: 40 }, (_, index) => textOf(index % 2 === 0, index, platform))

  /** Only what forums of several groups have is trained: here, without a label, both kinds of texts. */
  const chatter: Example[] = ['a', 'b', 'c', 'd'].flatMap((group) =>
    texts('reddit').map(({ title, description: text }) => {
      return { origin: 'unlabelled', group, stratum: undefined, title, text, label: false }
    }),
  )

  it.each([
    ['github', 'tracker'],
    ['reddit', 'social'],
  ] as const)('corrections of %s train the model for %s texts', (platform, group) => {
    const modelOf = (examples: readonly Example[]) => {
      const labels = Uint8Array.from(examples, ({ label }) => Number(label))
      return trainModel({ examples, matrix: matrixOf(examples), labels }, group, () => true)
    }
    const distance = (model: LinearModel) => {
      const score = (title: string) => scoreOf(model, featuresOf(title, ''))
      return score('please add a purple button') - score('it crashes with an error')
    }
    const before = distance(modelOf(chatter))
    expect(distance(modelOf([...chatter, ...correctionExamples(texts(platform))]))).toBeGreaterThan(before + 1)
    // Of one label only, they count all the same.
    const wishes = correctionExamples(texts(platform).filter(({ label }) => label))
    expect(distance(modelOf([...chatter, ...wishes]))).toBeGreaterThan(before + 1)
  })
})

describe('the bench of labelled texts', () => {
  const lines = [
    {
      title: 'Please add a dark mode',
      description: 'I wish there were one.',
      platform: 'github',
      tags: [],
      label: true,
    },
    { title: 'It crashes', description: 'With an error, at the start.', platform: 'github', tags: [], label: false },
  ]
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')

  const measure = (file: string, input: string) => {
    const { perTextMs: _, ...figures } = JSON.parse(
      execFileSync(process.execPath, ['bench/detection.ts', '--labelled', file], { input, encoding: 'utf8' })
        .trim()
        .split('\n')
        .at(-1)!,
    )
    return figures
  }

  it('labelled texts of a file and of stdin have the same figures, in the last line', () => {
    const directory = mkdtempSync(join(tmpdir(), 'labelled-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const file = join(directory, 'texts.jsonl')
    writeFileSync(file, text)
    const figures = measure(file, '')
    expect(Object.keys(figures)).toEqual(['precision', 'recall', 'f1', 'recallWithMaybe', 'threshold'])
    expect(measure('-', text)).toEqual(figures)
  })
})
