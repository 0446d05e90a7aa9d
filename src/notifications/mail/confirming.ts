import type { Logger } from 'pino'
import type { OpenDatabase } from '../../database/open.ts'
import { type BackgroundRun, createBackgroundRun, wakeOn } from '../../runtime/background-run.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type ConfirmationDependencies, sendConfirmations } from './confirmations.ts'
import { confirmationsDue } from './consents.ts'

export interface ConfirmingDependencies extends ConfirmationDependencies {
  clock: Clock
  listen: OpenDatabase['listen']
  log: Pick<Logger, 'warn' | 'error'>
  /** Whether it starts by itself; else only by `run`. */
  isAutomatic?: boolean
}

/** Delay after an address was added, to send concurrent ones together. */
const settleMs = 100

/** Sends confirmations in the background, when any process adds an address and in every maintenance round. */
export async function startConfirming({
  clock,
  listen,
  log,
  isAutomatic = true,
  ...dependencies
}: ConfirmingDependencies): Promise<BackgroundRun> {
  const confirming = createBackgroundRun({
    step: (signal) => sendConfirmations({ ...dependencies, log }, clock.now(), signal),
    onError: (error) => log.error({ err: error }, 'sending confirmations failed'),
  })
  return isAutomatic ? wakeOn(confirming, { listen, channel: confirmationsDue, delayMs: settleMs }) : confirming
}
