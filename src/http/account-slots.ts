/** Why there is no slot: the account has all of its own, or the process has all of them in use. */
export type NoSlot = 'account is full' | 'process is full'

export interface AccountSlots {
  /**
   * Takes a slot for an account.
   * @returns the function that gives it back (calling it again changes nothing), or why there is none.
   */
  enter(accountId: string): (() => void) | NoSlot
}

/** Limits what is open at a time, in this process: for each account, and for all of them together. */
export function createAccountSlots({ perAccount, total }: { perAccount: number; total: number }): AccountSlots {
  const counts = new Map<string, number>()
  let taken = 0
  return {
    enter: (accountId) => {
      const count = counts.get(accountId) ?? 0
      if (count >= perAccount) return 'account is full'
      if (taken >= total) return 'process is full'
      counts.set(accountId, count + 1)
      taken += 1
      let left = false
      return () => {
        if (left) return
        left = true
        taken -= 1
        const rest = (counts.get(accountId) ?? 1) - 1
        if (rest === 0) counts.delete(accountId)
        else counts.set(accountId, rest)
      }
    },
  }
}
