/** Limits the number of concurrent streams in this process: for each account, and for all accounts together. */
export function createAccountSlots({ perAccount, total }: { perAccount: number; total: number }) {
  const counts = new Map<string, number>()
  let taken = 0
  return {
    /**
     * Takes a slot for an account.
     * @returns the function that frees it (a second call changes nothing), or why there is none: those of the account, or all of the
     * process, are in use.
     */
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
