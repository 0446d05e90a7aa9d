import type { Clock } from '../../../runtime/clock.ts'

/** What was learned lately, forgotten after its time. */
export interface Recent<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value, forMs: number): void
}

/** @param maximum of entries; the oldest one makes room */
export function createRecent<Value>({ clock, maximum }: { clock: Clock; maximum: number }): Recent<Value> {
  const entries = new Map<string, { value: Value; until: number }>()
  return {
    get: (key) => {
      const entry = entries.get(key)
      return entry && entry.until > clock.now().getTime() ? entry.value : undefined
    },
    set: (key, value, forMs) => {
      entries.delete(key)
      if (entries.size >= maximum) entries.delete(entries.keys().next().value!)
      entries.set(key, { value, until: clock.now().getTime() + forMs })
    },
  }
}
