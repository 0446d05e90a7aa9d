export interface CooldownState {
  /** No request before this moment, because the host demanded it; may be in the past. */
  cooldownUntil: Date | null
}

/** The time that a host demands without requests. */
export interface Cooldown {
  /** When it ends; null when there is none. */
  until(now: Date): Date | null
  /** Begins a cooldown until this moment; a longer one that is under way stays. */
  extend(moment: Date): void
  state(): CooldownState
  restore(state: CooldownState): void
}

export function createCooldown(): Cooldown {
  let cooldownUntil: Date | null = null
  return {
    until: (now) => (cooldownUntil && cooldownUntil > now ? cooldownUntil : null),
    extend(moment) {
      if (!cooldownUntil || moment > cooldownUntil) cooldownUntil = moment
    },
    state: () => ({ cooldownUntil }),
    restore(state) {
      cooldownUntil = state.cooldownUntil
    },
  }
}
