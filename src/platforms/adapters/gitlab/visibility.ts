import { correctByHeaders } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { PlannedWaitError, type PlatformError, SourceRefusedError } from '../../platform.ts'
import { gitlabError, gitlabLimitHeaders } from './errors.ts'

export interface VisibilityOptions extends AdapterDependencies {
  /** Of the searches: during its cooldown no project is looked up. */
  searchBudget: Budget
  baseUrl: string
  /** Sent with every request: the token. */
  headers: Record<string, string>
}

/** Resolves when the issues of a project are public. @throws PlatformError; SourceRefusedError when they are not. */
export type CheckVisibility = (project: string, signal: AbortSignal) => Promise<void>

/** How long a project that was public is assumed to be public. */
const publicForMs = 60_000

/** 400 requests a minute for a single project (docs.gitlab.com/administration/settings, "Rate limit on Projects API"). */
const projectLimits = (baseUrl: string): BudgetLimits => ({
  name: `${new URL(baseUrl).host} (projects)`,
  windows: [{ limit: 400, windowMs: 60_000 }],
  concurrency: 3,
})

/**
 * A token also opens private projects, projects that are internal to their server, and public ones whose issues only members
 * may read; but what is stored is shown to every account of Wishwell. So each project is looked up (`GET /projects/:id`)
 * before it is searched with a token.
 */
export function createVisibilityCheck(options: VisibilityOptions): CheckVisibility {
  const { client, clock, openBudget, searchBudget, baseUrl, headers } = options
  const budget = openBudget(projectLimits(baseUrl))
  const publicUntil = new Map<string, number>()

  return async (project, signal) => {
    if ((publicUntil.get(project) ?? 0) > clock.now().getTime()) return
    publicUntil.delete(project)
    const now = clock.now()
    const { cooldownUntil } = searchBudget.state(now)
    if (cooldownUntil && cooldownUntil > now) {
      throw new PlannedWaitError('rate_limited', 'gitlab allows no more requests for now.', cooldownUntil)
    }
    await client.getJson({
      platform: 'gitlab',
      url: endpointUrl(baseUrl, `/projects/${encodeURIComponent(project)}`, {}),
      headers,
      budget,
      signal,
      readLimits: (answer) => correctByHeaders(budget, answer.headers, gitlabLimitHeaders, clock.now()),
      readError: (answer) => {
        const error = gitlabError(answer, project, true, clock.now()) ?? visibilityError(answer, project)
        if (error?.code === 'rate_limited' && error.retryAt) searchBudget.pauseUntil(error.retryAt)
        return error
      },
    })
    publicUntil.set(project, now.getTime() + publicForMs)
  }
}

/** A project that does not say that it is public is not public. `issues_access_level`: docs.gitlab.com/api/projects. */
function visibilityError({ status, body }: Answer, project: string): PlatformError | null {
  if (status < 200 || status > 299) return null
  const fields = asFields(body)
  const access = asString(fields?.issues_access_level) ?? 'enabled'
  if (fields?.visibility === 'public' && (access === 'enabled' || access === 'public')) return null
  return new SourceRefusedError(
    `gitlab does not show the issues of "${project}" publicly, so they are not collected. Take it out of GITLAB_PROJECTS.`,
  )
}
