import { correctByHeaders } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { PlannedWaitError, type PlatformError, SourceRefusedError } from '../../platform.ts'
import { gitlabError, gitlabLimitHeaders, listedInVariable, type NamedSource } from './api.ts'
import type { GitlabSource } from './source.ts'

export interface VisibilityOptions extends AdapterDependencies {
  /** The searches' budget: no lookups during its cooldown. */
  searchBudget: Budget
  baseUrl: string
  token?: string | undefined
}

/** Resolves if the issues of a project or group are public. @throws SourceRefusedError if not; PlatformError */
export type CheckVisibility = (source: Pick<GitlabSource, 'kind'> & NamedSource, signal: AbortSignal) => Promise<void>

/** How long a source that was public counts as public. */
const publicForMs = 60_000

/** 400 requests a minute per project (docs.gitlab.com/administration/settings, "Rate limit on Projects API"). */
const lookupLimits = (baseUrl: string, hasToken: boolean): BudgetLimits => ({
  name: `${new URL(baseUrl).host} (projects)`,
  windows: [{ limit: 400, windowMs: 60_000 }],
  concurrency: 3,
  // Without a token, only account sources are looked up.
  isOptional: !hasToken,
})

/**
 * Every account sees what is stored, but a token also reads private and internal projects and members-only issues. So
 * projects are looked up (`GET /projects/:id`) before a search with a token. Groups are searched without it: public
 * groups may have private projects.
 */
export function createVisibilityCheck(options: VisibilityOptions): CheckVisibility {
  const { client, clock, openBudget, searchBudget, baseUrl, token } = options
  const budget = openBudget(lookupLimits(baseUrl, token !== undefined))
  const publicUntil = new Map<string, number>()

  return async (source, signal) => {
    const { kind, path } = source
    const address = `/${kind}/${encodeURIComponent(path)}`
    if ((publicUntil.get(address) ?? 0) > clock.now().getTime()) return
    publicUntil.delete(address)
    const now = clock.now()
    const { cooldownUntil } = searchBudget.state(now)
    if (cooldownUntil && cooldownUntil > now) {
      throw new PlannedWaitError('rate_limited', 'gitlab allows no more requests for now.', cooldownUntil)
    }
    const isAnonymous = token === undefined || kind === 'groups'
    await client.getJson({
      platform: 'gitlab',
      // Keeps a group from listing its projects.
      url: endpointUrl(baseUrl, address, kind === 'groups' ? { with_projects: 'false' } : {}),
      headers: isAnonymous ? {} : { 'private-token': token },
      budget,
      signal,
      readLimits: (answer) => correctByHeaders(budget, answer.headers, gitlabLimitHeaders, clock.now()),
      readError: (answer) => {
        const refusal = gitlabError(answer, source, !isAnonymous, clock.now())
        const error = refusal ?? visibilityError(answer, source, isAnonymous)
        if (error?.code === 'rate_limited' && error.retryAt) searchBudget.pauseUntil(error.retryAt)
        return error
      },
    })
    publicUntil.set(address, now.getTime() + publicForMs)
  }
}

/**
 * With a token, only an explicit "public" counts; without one, GitLab shows only public projects and may omit the field
 * (`issues_access_level`: docs.gitlab.com/api/projects).
 */
function visibilityError({ status, body }: Answer, source: NamedSource, isAnonymous: boolean): PlatformError | null {
  if (status < 200 || status > 299) return null
  const fields = asFields(body)
  const access = asString(fields?.issues_access_level) ?? 'enabled'
  const visibility = fields?.visibility ?? (isAnonymous && fields !== null ? 'public' : null)
  if (visibility === 'public' && (access === 'enabled' || access === 'public')) return null
  const { path, listedIn } = source
  const advice = listedIn === listedInVariable ? `Take it out of ${listedIn}` : `Check ${listedIn}`
  return new SourceRefusedError(
    `gitlab does not show the issues of "${path}" publicly, so they are not collected. ${advice}.`,
  )
}
