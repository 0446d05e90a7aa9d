import type { Budget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { asFields, asString } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'
import { epochSecond } from '../newest-first.ts'

export interface HackernewsCallOptions {
  client: PlatformClient
  budget: Budget
  baseUrl: string
}

/** Searches with the given and the exactness parameters; with `since`, newest first. @returns the body */
export type CallHackernews = (
  parameters: Record<string, string | number>,
  signal: AbortSignal,
  since?: Date | null,
) => Promise<unknown>

/**
 * Keep out near-spellings, prefixes and author names. The search passes parameters on to Algolia (algolia/hn-search,
 * base_controller.rb), but any of them may be refused or ignored now.
 */
const exactness = {
  typoTolerance: 'false',
  queryType: 'prefixNone',
  restrictSearchableAttributes: 'title,story_text,comment_text',
  advancedSyntax: 'true',
} as const

type UnsureParameter = keyof typeof exactness | 'numericFilters'

/**
 * Filters on points are refused since June 2026, so this one may be too; an older post then ends the search. First, so
 * that an unexplained refusal drops it and not the exactness.
 */
const unsureParameters: readonly UnsureParameter[] = [
  'numericFilters',
  ...(Object.keys(exactness) as UnsureParameter[]),
]

/**
 * On a 400, drops the unsure parameters one by one, the one named in the message first, and remembers those
 * accepted. A refusal without any of them concerns the query.
 */
export function createHackernewsCall({ client, budget, baseUrl }: HackernewsCallOptions): CallHackernews {
  const refused = new Set<UnsureParameter>()

  return async (parameters, signal, since) => {
    // The index has whole seconds.
    const values = { ...exactness, numericFilters: since ? `created_at_i>${epochSecond(since) - 1}` : undefined }
    const wanted = unsureParameters.filter((name) => values[name] !== undefined)
    const accepted = wanted.filter((name) => !refused.has(name))
    let sent = accepted
    for (;;) {
      const unsure = Object.fromEntries(sent.map((name) => [name, values[name]!]))
      const { status, body } = await client.getJson({
        platform: 'hackernews',
        url: endpointUrl(baseUrl, since ? '/search_by_date' : '/search', { ...parameters, ...unsure }),
        budget,
        signal,
        readError: (answer) =>
          answer.status === 400 && sent.length === 0
            ? new PlatformError('bad_response', 'hackernews refused the query (400).')
            : null,
        acceptStatuses: sent.length > 0 ? [400] : [],
      })
      if (status !== 400) {
        for (const name of accepted) if (!sent.includes(name)) refused.add(name)
        return body
      }
      sent = withoutRefused(sent, asString(asFields(body)?.message) ?? '')
    }
  }
}

function withoutRefused(sent: UnsureParameter[], message: string): UnsureParameter[] {
  const isNamed = (name: UnsureParameter) =>
    message.includes(name) || (name === 'numericFilters' && /numeric/i.test(message))
  const refused = sent.find(isNamed) ?? sent[0]
  return sent.filter((name) => name !== refused)
}
