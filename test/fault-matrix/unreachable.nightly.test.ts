import dns from 'node:dns'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifyLedger } from '../../src/credits/verify.ts'
import { simulatedPlatformNames, simulatedPlatforms } from '../../src/platform-simulator/platforms/index.ts'
import { startLaboratory } from './laboratory.ts'

// Reserved by RFC 6761: it never resolves.
const nowhere = 'http://nosuch.invalid'

// The resolver of the machine would say the same, but some take seconds for it.
const lookup = dns.lookup.bind(dns) as (...parts: unknown[]) => void
const resolver = vi.spyOn(dns, 'lookup').mockImplementation(((host: string, ...parts: unknown[]) => {
  if (!host.endsWith('.invalid')) return lookup(host, ...parts)
  const callback = parts.at(-1) as (error: Error) => void
  process.nextTick(callback, Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }))
}) as unknown as typeof dns.lookup)
afterAll(() => resolver.mockRestore())

const addressesOf = (environment: Record<string, string>) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => /_URLS?$/.test(name)))

describe.each([0, 1])('platforms whose name does not resolve, half %i', (half) => {
  it('end unavailable, and no other is touched', async () => {
    const lost = simulatedPlatformNames.filter((_, index) => index % 2 === half)
    const environment = Object.assign(
      {},
      ...lost.map((name) => addressesOf(simulatedPlatforms[name].environment(`${nowhere}/${name}`))),
    )
    const laboratory = await startLaboratory({ configure: () => environment })
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
    expect(resolver).toHaveBeenCalledWith('nosuch.invalid', expect.anything(), expect.anything())
    const pages = Object.values(report.tasks).reduce((sum, task) => sum + task.pages, 0)
    expect(report.creditsUsed).toBe(pages)
    expect(await verifyLedger(laboratory.service.database)).toEqual([])
  })
})
