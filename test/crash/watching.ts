import { pino } from 'pino'
import type { Config } from '../../src/app/config.ts'
import { startService } from '../../src/app/service.ts'
import { movedClock, openJobs } from '../../src/watches/testing.ts'
import { platformMap, scriptedPlatform } from '../scripted-platform.ts'
import { watched } from '../watched-database.ts'
import { emptyPages } from '../watched-month/month.ts'

/** A service whose clock a test moves. @param now where its clock begins */
export async function startWatching(config: Config, now: string, onStatement: (statement: string) => void = () => {}) {
  const clock = movedClock(now)
  const onCrash = (error: Error) => {
    throw error
  }
  const service = await startService(config, pino({ level: 'error' }), onCrash, {
    clock,
    open: watched(onStatement),
    onDemand: new Set(['placing']),
    platforms: {
      adapters: platformMap(scriptedPlatform('github', emptyPages), scriptedPlatform('hackernews', emptyPages)),
    },
  })
  return {
    service,
    /** Lets the clock come to a moment, and everything that is due end. */
    comeTo: async (moment: string): Promise<void> => {
      clock.set(moment)
      await service.runDueWatches()
      while ((await openJobs(service.database.database)) > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}
