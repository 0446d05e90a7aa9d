import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../runtime/clock.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import { maxPauseMs } from '../headers.ts'
import type { Budget, BudgetState } from './budget.ts'

/** A crash loses at most this much. */
const saveEveryMs = 1_000

export interface HostMemoryStore {
  save(): Promise<void>
  /** Saves once more, then stops saving. */
  stop(): Promise<void>
}

export interface HostMemoryOptions {
  database: Database
  clock: Clock
  log: Logger
  hosts: ReadonlyMap<PlatformName, readonly Budget[]>
}

/** Persists cooldowns and pauses, for restarts and status reports. @returns once the stored state is restored */
export async function rememberHosts({ database, clock, log, hosts }: HostMemoryOptions): Promise<HostMemoryStore> {
  const all = [...hosts].flatMap(([platform, budgets]) => budgets.map((budget) => ({ platform, budget })))
  await restore(database, all, clock.now())
  const written = new Map(all.map(({ budget }) => [budget, fingerprint(budget.state(clock.now()))]))

  const save = async () => {
    const now = clock.now()
    for (const { platform, budget } of all) {
      const state = budget.state(now)
      if (fingerprint(state) === written.get(budget)) continue
      await write(database, platform, state, now)
      written.set(budget, fingerprint(state))
    }
  }
  // In sequence, so an older state never overtakes a newer one.
  let saving = Promise.resolve()
  const saveNext = () => {
    saving = saving.catch(() => {}).then(save)
    return saving
  }
  const timer = setInterval(() => {
    saveNext().catch((error: unknown) => log.error({ err: error }, 'the state of the platforms could not be saved'))
  }, saveEveryMs).unref()
  return {
    save: saveNext,
    stop: () => {
      clearInterval(timer)
      return saveNext()
    },
  }
}

/** Ignores what only the passing of time changes: that is not worth a write. */
const fingerprint = ({ room, ...memory }: BudgetState) => JSON.stringify(memory)

type Host = { platform: PlatformName; budget: Budget }

async function restore(database: Database, all: Host[], now: Date): Promise<void> {
  const rows = await database.selectFrom('platform_hosts').selectAll().execute()
  for (const row of rows) {
    const host = all.find(({ platform, budget }) => platform === row.platform && budget.name === row.name)
    host?.budget.restore({
      failures: row.failures,
      pausedUntil: row.paused_until,
      cooldownUntil: row.cooldown_until,
      lastSuccessAt: row.last_success_at,
      lastError:
        row.last_error_code && row.last_error_at
          ? { code: row.last_error_code, message: row.last_error_message ?? '', at: row.last_error_at }
          : null,
    })
    // Not every platform states what is left, so the use before the restart is restored here.
    host?.budget.correct({ remaining: row.remaining, resetAt: row.remaining_resets_at }, now)
  }
}

async function write(database: Database, platform: PlatformName, state: BudgetState, now: Date): Promise<void> {
  const row = {
    failures: state.failures,
    paused_until: state.pausedUntil,
    cooldown_until: state.cooldownUntil,
    last_success_at: state.lastSuccessAt,
    last_error_code: state.lastError?.code ?? null,
    last_error_message: state.lastError?.message ?? null,
    last_error_at: state.lastError?.at ?? null,
    remaining: state.room.remaining,
    remaining_limit: state.room.limit,
    remaining_resets_at: state.room.resetsAt,
  }
  await database
    .insertInto('platform_hosts')
    .values({ platform, name: state.name, ...row })
    .onConflict((conflict) =>
      conflict.columns(['platform', 'name']).doUpdateSet((eb) => ({
        ...row,
        // Another process may have stored a longer cooldown or later success.
        cooldown_until: sql<Date | null>`greatest(excluded.cooldown_until,
          case when platform_hosts.cooldown_until <= ${new Date(now.getTime() + maxPauseMs + clockToleranceMs)}::timestamptz then platform_hosts.cooldown_until end)`,
        last_success_at: eb.fn<Date | null>('greatest', ['platform_hosts.last_success_at', 'excluded.last_success_at']),
      })),
    )
    .execute()
}
