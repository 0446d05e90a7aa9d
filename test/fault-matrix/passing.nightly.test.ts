import { describe, it } from 'vitest'
import { type Expectation, passingFaults, passingWaits } from './expectations.ts'
import { type Cell, openMatrix, rounds } from './matrix.ts'

const matrix = openMatrix(60_000)

const once = (expectation: Expectation, moment: 'at once' | 'on the way'): Cell => ({ expectation, moment, times: 1 })

describe.each(passingFaults)('after one $fault', (expectation) => {
  const cells = [once(expectation, 'at once'), once(expectation, 'on the way'), null]
  it.each(rounds)('everything is collected all the same, round %i', async (round) => {
    await matrix.runRound(cells, round)
  })
})

describe('after a refusal that names a time', () => {
  // All of them in each job, because all that these jobs do is wait.
  const cells = [...passingWaits.flatMap((wait) => [once(wait, 'at once'), once(wait, 'on the way')]), null, null]
  it.each(cells.map((_, round) => round))('the wait is kept and everything is collected, round %i', async (round) => {
    await matrix.runRound(cells, round)
  })
})
