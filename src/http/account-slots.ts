/** Limits concurrent streams in this process, per account and in total. */
export function createAccountSlots({ perAccount, total }: { perAccount: number; total: number }) {
  const counts = new Map<string, number>()
  let taken = 0
  return {
    /** @returns an idempotent function that frees the slot, or whose slots are used up */
    enter: (accountId: string): (() => void) | 'account is full' | 'process is full' => {
      const count = counts.get(accountId) ?? 0
      if (count >= perAccount) return 'account is full'
      if (taken >= total) return 'process is full'
      counts.set(accountId, count + 1)
      taken += 1
      let isFreed = false
      return () => {
        if (isFreed) return
        isFreed = true
        taken -= 1
        const remaining = (counts.get(accountId) ?? 1) - 1
        if (remaining === 0) counts.delete(accountId)
        else counts.set(accountId, remaining)
      }
    },
  }
}
