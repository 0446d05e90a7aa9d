import type { Reporter, TestModule } from 'vitest/node'

/** Prints, last, how many tests passed on each backend of the database: `embedded: 120 passed, 0 failed, 2 skipped`. */
export default class ReportBackends implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const backends = new Map<string, { passed: number; failed: number; skipped: number }>()
    for (const module of modules) {
      const counts = backends.get(module.project.name) ?? { passed: 0, failed: 0, skipped: 0 }
      backends.set(module.project.name, counts)
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') counts[state]++
      }
      if (module.errors().length > 0) counts.failed++
    }
    for (const [backend, { passed, failed, skipped }] of backends) {
      console.log(`${backend}: ${passed} passed, ${failed} failed, ${skipped} skipped`)
    }
  }
}
