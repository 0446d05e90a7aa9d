import type { Dispatcher } from 'undici'
import type { Database } from '../../database/open.ts'
import { ModelError } from '../../model/completion.ts'
import { createEndpoint, EndpointError, type ModelLog } from '../../model/endpoint.ts'
import { userAgentFor } from '../../platforms/client/client.ts'
import { type BackgroundRun, createBackgroundRun } from '../../runtime/background-run.ts'
import type { Clock } from '../../runtime/clock.ts'
import { version } from '../../runtime/version.ts'
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

/**
 * Has a model judge the texts of the class maybe, one after the other, until there is none, the day has its maximum, or the endpoint fails. A
 * stop aborts the call that is under way. The README of this module states its law.
 */
export function createJudging({ database, clock, log, config, dispatcher }: JudgingDependencies): BackgroundRun {
  const { perDay, excludedPlatforms } = config
  const endpoint = createEndpoint({
    config: config.model,
    clock,
    userAgent: userAgentFor(version),
    ...(dispatcher ? { dispatcher } : {}),
  })

  /** @returns whether another text should be tried now. */
  const judgeNext = async (signal: AbortSignal): Promise<boolean> => {
    if (!endpoint.admits()) return false
    const text = await claimText(database, { perDay, excludedPlatforms, now: clock.now() })
    if (text === null) return false
    try {
      const confidence = await endpoint.complete(confidenceQuestion(text), readConfidence, signal)
      await storeJudgement(database, { text, confidence, now: clock.now() })
      return true
    } catch (error) {
      if (signal.aborted) return false
      if (!(error instanceof ModelError)) throw error
      log.warn({ reason: error.message, id: text.id }, 'the model did not judge a text; its own figure stands')
      return !(error instanceof EndpointError)
    }
  }
  return createBackgroundRun({
    step: judgeNext,
    onError: (error) => log.error({ err: error }, 'judging failed'),
  })
}
