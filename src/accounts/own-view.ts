/** The columns of an account that tell whether it may see requests differently from all others. */
export const ownViewColumns = ['accounts.has_own_view', 'accounts.corrections'] as const

/** Whether an account sees requests, or what is said of them, differently from all others. Without the account, no. */
export const hasOwnView = (row: { has_own_view: boolean | null; corrections: number | null }): boolean =>
  row.has_own_view === true || (row.corrections ?? 0) > 0
