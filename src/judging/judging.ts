import type { Dispatcher } from 'undici'
import type { Database } from '../database/open.ts'
import { ModelError } from '../model/completion.ts'
import { createEndpoint, EndpointError, type ModelLog } from '../model/endpoint.ts'
import { userAgentFor } from '../platforms/client/client.ts'
import type { Clock } from '../runtime/clock.ts'
import type { MaintenanceJob } from '../runtime/maintenance.ts'
import { version } from '../runtime/version.ts'
import { claimText } from './claims.ts'
import { storeJudgement } from './judgements.ts'
import { confidenceQuestion, readConfidence } from './question.ts'
import type { JudgingConfig } from './settings.ts'

export interface JudgingDependencies {
  database: Database
  clock: Clock
  /** It never gets a text, an answer, a key or an address. */
  log: ModelLog & { error(fields: object, message: string): void }
  config: JudgingConfig
  dispatcher?: Dispatcher
}

export interface Judging {
  /** Begins a run in the background unless one is under way: a model may take seconds, and other maintenance jobs do not wait for it. */
  job: MaintenanceJob
  /** Judges texts until there is none, the day has its maximum, or the endpoint fails. */
  run(): Promise<void>
  /** Aborts the call that is under way, and waits for the run to end. */
  stop(): Promise<void>
}

/** Has a model judge the texts of the class maybe, one after the other; the README of this module states its law. */
export function createJudging({ database, clock, log, config, dispatcher }: JudgingDependencies): Judging {
  const { perDay, excludedPlatforms } = config
  const endpoint = createEndpoint({
    config: config.model,
    clock,
    userAgent: userAgentFor(version),
    ...(dispatcher ? { dispatcher } : {}),
  })
  const stopping = new AbortController()
  let underWay: Promise<void> | null = null

  /** @returns whether another text should be tried now. */
  const judgeNext = async (): Promise<boolean> => {
    if (stopping.signal.aborted || !endpoint.admits()) return false
    const text = await claimText(database, { perDay, excludedPlatforms, now: clock.now() })
    if (text === null) return false
    try {
      const confidence = await endpoint.complete(confidenceQuestion(text), readConfidence, stopping.signal)
      await storeJudgement(database, { text, confidence, now: clock.now() })
      return true
    } catch (error) {
      if (stopping.signal.aborted) return false
      if (!(error instanceof ModelError)) throw error
      log.warn({ reason: error.message, id: text.id }, 'the model did not judge a text; its own figure stands')
      return !(error instanceof EndpointError)
    }
  }
  const judgeAll = async (): Promise<void> => {
    for (let more = true; more; ) more = await judgeNext()
  }
  const run = (): Promise<void> => {
    underWay ??= judgeAll().finally(() => {
      underWay = null
    })
    return underWay
  }
  return {
    run,
    job: async () => {
      run().catch((error: unknown) => log.error({ err: error }, 'judging failed'))
      return false
    },
    stop: async () => {
      stopping.abort()
      await underWay?.catch(() => {})
    },
  }
}
