import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { simulatedPlatformNames, simulatedPlatforms } from '../../simulator/platforms/index.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { lastingSilence, passingSilence } from './expectations.ts'
import { startLaboratory } from './laboratory.ts'
import { openMatrix, rounds } from './matrix.ts'

// Apart from the other faults, because the short timeouts of silence want an event loop with little else to do.

describe('platforms that stay silent', () => {
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
})

describe('platforms whose name does not resolve', () => {
  // Reserved by RFC 6761: it never resolves.
  const nowhere = 'http://nosuch.invalid'

  const asked: string[] = []
  // The resolver of the machine would say the same, but some take seconds for it.
  const resolver: LookupFunction = (host, options, callback) => {
    asked.push(host)
    if (!host.endsWith('.invalid')) return lookup(host, options, callback)
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
    process.nextTick(callback, error, [])
  }

  const addressesOf = (environment: Record<string, string>) =>
    Object.fromEntries(Object.entries(environment).filter(([name]) => /_(?:URLS?|FILES)$/.test(name)))

  it.each([0, 1])('end unavailable, and no other is touched, half %i', async (half) => {
    const lost = simulatedPlatformNames.filter((_, index) => index % 2 === half)
    const environment = Object.assign(
      {},
      ...lost.map((name) => addressesOf(simulatedPlatforms[name].environment(`${nowhere}/${name}`))),
    )
    const laboratory = await startLaboratory({ configure: () => environment, resolver })
    onTestFinished(laboratory.stop)
    const report = await laboratory.runJob()
    for (const platform of simulatedPlatformNames) {
      const { state, code, pages } = report.tasks[platform]
      const isLost = lost.includes(platform)
      expect.soft({ platform, state, code }).toEqual({
        platform,
        ...(isLost ? { state: 'error', code: 'unavailable' } : { state: 'done', code: null }),
      })
      expect.soft(pages > 0, platform).toBe(!isLost)
    }
    expect(asked).toContain('nosuch.invalid')
    const pages = Object.values(report.tasks).reduce((sum, task) => sum + task.pages, 0)
    expect(report.creditsUsed).toBe(pages)
    expect(await verifyLedger(laboratory.service.database)).toEqual([])
  })
})
