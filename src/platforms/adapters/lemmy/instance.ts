import type { Budget, BudgetLimits, OpenBudget } from '../../budget/budget.ts'

export interface Instance {
  baseUrl: string
  /** Host and path, unique within the platform. */
  name: string
  budget: Budget
}

/** The default limit for an address: 60 searches in 10 minutes (table local_site_rate_limit). No answer of version 0.19 states it. */
const lemmyLimits = (name: string): BudgetLimits => ({
  name,
  windows: [{ limit: 60, windowMs: 600_000 }],
  concurrency: 1,
})

/** The configured instances, each with one budget, however often it is configured. */
export function createInstances(urls: readonly string[], openBudget: OpenBudget): Instance[] {
  const budgets = new Map<string, Budget>()
  return urls.map((baseUrl) => {
    const { host, pathname } = new URL(baseUrl)
    const name = `${host}${pathname.replace(/\/+$/, '')}`
    const budget = budgets.get(name) ?? openBudget(lemmyLimits(name))
    budgets.set(name, budget)
    return { baseUrl, name, budget }
  })
}
