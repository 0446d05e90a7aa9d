import type { Clock } from '../../../runtime/clock.ts'
import type { Budget, BudgetLimits, OpenBudget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { asFields, asString } from '../../content/fields.ts'
import { after } from '../../headers.ts'
import { PlatformError } from '../../platform.ts'

export interface Instance {
  baseUrl: string
  /** Host and path, unique within the platform. */
  name: string
  budget: Budget
}

/** Default limit per address: 60 searches in 10 minutes (table local_site_rate_limit). Version 0.19 never states it. */
const lemmyLimits = (name: string): BudgetLimits => ({
  name,
  windows: [{ limit: 60, windowMs: 600_000 }],
  concurrency: 1,
})

/** The configured instances, each once, with its budget. */
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

/** The API version: 4 since Lemmy 1.0, before 3. */
export type ApiVersion = 3 | 4

export interface ApiVersions {
  /** Never fails: an instance that does not say counts as version 3 until it is asked again. */
  of(instance: Instance, signal: AbortSignal): Promise<ApiVersion>
}

export interface ApiVersionsOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
}

/** Instances are upgraded while Wishwell runs. */
const lifetimeMs = 86_400_000
/** How long a page waits for the version, in milliseconds. */
const patienceMs = 3_000

/**
 * Asks `GET /api/v4/site`. Lemmy 1.0 still has version 3, but its search there ignores all but `q`, so every page is
 * the first (crates/api/routes_v3/src/handlers.rs, `search_v3`).
 */
export function createApiVersions({ client, clock, openBudget }: ApiVersionsOptions): ApiVersions {
  const known = new Map<string, { version: ApiVersion; expiresAt: Date }>()
  const budgetOf = createVersionBudgets(openBudget)

  async function ask({ baseUrl, name }: Instance, signal: AbortSignal): Promise<ApiVersion> {
    const { status, body } = await client.getJson({
      platform: 'lemmy',
      label: `lemmy (${name})`,
      url: endpointUrl(baseUrl, '/api/v4/site', {}),
      budget: budgetOf(name),
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      acceptStatuses: [400, 404],
    })
    const site = asFields(body)
    const isSite = asFields(site?.site_view) !== null || asString(site?.version) !== null
    return status < 300 && isSite ? 4 : 3
  }

  return {
    async of(instance, signal) {
      const now = clock.now()
      const cached = known.get(instance.name)
      if (cached && cached.expiresAt > now) return cached.version
      try {
        const version = await ask(instance, signal)
        known.set(instance.name, { version, expiresAt: after(now, lifetimeMs) })
        return version
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        // Non-JSON or foreign answers will not change soon; faults will.
        if (error.retryAt === null && error.code === 'bad_response') {
          known.set(instance.name, { version: 3, expiresAt: after(now, lifetimeMs) })
        }
        return cached?.version ?? 3
      }
    },
  }
}

/** Separate from searches, so this request never costs one. */
function createVersionBudgets(openBudget: OpenBudget) {
  const budgets = new Map<string, ReturnType<OpenBudget>>()
  return (name: string) => {
    const budget =
      budgets.get(name) ??
      openBudget({
        name: `${name} (version)`,
        windows: [{ limit: 10, windowMs: 600_000 }],
        concurrency: 1,
        isUnlisted: true,
      })
    budgets.set(name, budget)
    return budget
  }
}
