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

/**
 * Searches with the given parameters and those that make it exact; with `since` newest first, from then on.
 * @returns the body of the answer.
 */
export type CallHackernews = (
  parameters: Record<string, string | number>,
  signal: AbortSignal,
  since?: Date | null,
) => Promise<unknown>

/**
 * What keeps near-spellings, beginnings of longer words and names of authors out of the results. The search passes on every parameter
 * to Algolia (algolia/hn-search, base_controller.rb); that it still does is unsure, so each may be refused or ignored.
 */
const exactness = {
  typoTolerance: 'false',
  queryType: 'prefixNone',
  restrictSearchableAttributes: 'title,story_text,comment_text',
  advancedSyntax: 'true',
} as const

type UnsureParameter = keyof typeof exactness | 'numericFilters'

/**
 * Filters on points are refused since June 2026, so this one may be too; then an older post ends the search all the same. It comes first,
 * so that a refusal without a reason costs it and nothing that keeps near-spellings out.
 */
const unsureParameters: readonly UnsureParameter[] = [
  'numericFilters',
  ...(Object.keys(exactness) as UnsureParameter[]),
]

/**
 * Calls `GET /search`, or `GET /search_by_date` for what is new. When it answers 400, the parameters of exactness are left out one by one, first the one that the message
 * names, until it accepts the rest; the process remembers which were accepted. A refusal without any of them concerns the query.
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
