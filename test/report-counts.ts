import type { Reporter, TestModule } from 'vitest/node'

/** Prints, last, how many tests passed on each home of the database: `embedded: 120 passed, 0 failed, 2 skipped`. */
export default class ReportHomes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const homes = new Map<string, { passed: number; failed: number; skipped: number }>()
    for (const module of modules) {
      const counts = homes.get(module.project.name) ?? { passed: 0, failed: 0, skipped: 0 }
      homes.set(module.project.name, counts)
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') counts[state]++
      }
      if (module.errors().length > 0) counts.failed++
    }
    for (const [home, { passed, failed, skipped }] of homes) {
      console.log(`${home}: ${passed} passed, ${failed} failed, ${skipped} skipped`)
    }
  }
}
