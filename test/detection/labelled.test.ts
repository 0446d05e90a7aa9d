import { expect, it } from 'vitest'
import type { Example } from '../../scripts/detection/corpora.ts'
import { trainModel } from '../../scripts/detection/cross-validation.ts'
import { correctionExamples } from '../../scripts/detection/labelled.ts'
import { matrixOf } from '../../scripts/detection/matrix.ts'
import { featuresOf } from '../../src/detection/features.ts'
import { type LinearModel, scoreOf } from '../../src/detection/linear.ts'

// What people said is trained into the model of the group of its platform.

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
