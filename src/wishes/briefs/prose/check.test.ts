import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../scripts/detection/random.ts'
import { faultOf, sourcesOf } from './check.ts'
import { provenProse } from './prose.ts'
import { makeBrief, mutationsOf, shuffled, trueSentences } from './testing.ts'

// Holds (Search, lists and export): no sentence of a model stands in a brief that changes a quotation, a number, a name, a date or who wants what, or that claims more

const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))

describe('the sentences of a model', () => {
  it('stay in 200 briefs where they are true, and go with any mutation', () => {
    console.log(`prose of briefs: seed ${seed}`)
    const random = seededRandom(seed)
    let [kept, refused] = [0, 0]
    for (let run = 0; run < 200; run += 1) {
      const sources = sourcesOf(makeBrief(random))
      const right = shuffled(random, trueSentences(sources, random)).slice(0, 8)
      const wrong = shuffled(
        random,
        right.flatMap((sentence) => mutationsOf(sentence, sources, random)),
      ).slice(0, 24)
      for (const sentence of right)
        expect([faultOf(sentence, sources), sentence], `seed ${seed}`).toEqual([null, sentence])
      for (const sentence of wrong)
        expect([faultOf(sentence, sources) === null, sentence], `seed ${seed}`).toEqual([false, sentence])
      const mixed = [...right.slice(0, 4), ...wrong.slice(0, 4)].sort(() => random() - 0.5)
      const { sentences, removed } = provenProse(mixed, sources)
      expect([sentences.length, removed]).toEqual([right.slice(0, 4).length, wrong.slice(0, 4).length])
      kept += right.length
      refused += wrong.length
    }
    console.log(`${kept} true sentences stayed, ${refused} mutations were refused`)
    expect(Math.min(kept, refused)).toBeGreaterThan(1_000)
  })
})
