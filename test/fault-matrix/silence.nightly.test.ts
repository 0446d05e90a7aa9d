import { describe, it } from 'vitest'
import { lastingSilence, passingSilence } from './expectations.ts'
import { openMatrix, rounds } from './matrix.ts'

// Apart from the other faults, because short timeouts want an event loop with little else to do.

// Time for a second try after the first silence, because any answer may be late on a busy machine.
const timeouts = { headersMs: 250, bodyMs: 250, deadlineMs: 700 }
const hostCount = 2
const cooldownMs = 20
/** A page is tried five times, on each host; many times as much for a slow machine. */
const jobMs = 10 * 5 * hostCount * (timeouts.deadlineMs + cooldownMs)

/** Platforms have at most two hosts, because more would only take longer. */
function fewHosts(environment: Record<string, string>): Record<string, string> {
  const shortened = Object.entries(environment).filter(([name]) => /_URLS$/.test(name))
  return Object.fromEntries(shortened.map(([name, list]) => [name, list.split(',').slice(0, hostCount).join(',')]))
}

const matrix = openMatrix(jobMs, { timeouts, configure: fewHosts })

describe.each(passingSilence)('after one $fault', (expectation) => {
  it.each(rounds)('everything is collected all the same, round %i', async (round) => {
    const cells = [
      { expectation, moment: 'at once', times: 1 },
      { expectation, moment: 'on the way', times: 1 },
      null,
    ] as const
    await matrix.runRound(cells, round)
  })
})

describe.each(lastingSilence)('with $fault for ever', (expectation) => {
  it.each(rounds)('a platform ends as it should, and no other is touched, round %i', async (round) => {
    const cells = [
      { expectation, moment: 'at once', times: Number.POSITIVE_INFINITY },
      { expectation, moment: 'on the way', times: Number.POSITIVE_INFINITY },
      null,
    ] as const
    await matrix.runRound(cells, round)
    await matrix.heal()
  })
})
