import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyLedger } from '../../src/credits/verify.ts'
import { simulatedPlatformNames, simulatedPlatforms } from '../platform-simulator/platforms/index.ts'
import { startLaboratory } from './laboratory.ts'

// Reserved by RFC 6761: it never resolves.
const nowhere = 'http://nosuch.invalid'

const addressesOf = (environment: Record<string, string>) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => /_URLS?$/.test(name)))

describe.each([0, 1])('platforms whose name does not resolve, half %i', (half) => {
  it('end unavailable, and no other is touched', async () => {
    const lost = simulatedPlatformNames.filter((_, index) => index % 2 === half)
    const environment = Object.assign(
      {},
      ...lost.map((name) => addressesOf(simulatedPlatforms[name].environment(`${nowhere}/${name}`))),
    )
    const laboratory = await startLaboratory({ environment })
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
    const pages = Object.values(report.tasks).reduce((sum, task) => sum + task.pages, 0)
    expect(report.creditsUsed).toBe(pages)
    expect(await verifyLedger(laboratory.service.database)).toEqual([])
  })
})
