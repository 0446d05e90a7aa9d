import type { Budget } from '../../budget/budget.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import { asFields, asString } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'

export interface HackernewsCallOptions {
  client: PlatformClient
  budget: Budget
  baseUrl: string
}

/** Searches with the given parameters and those that make it exact. @returns the body of the answer. */
export type CallHackernews = (parameters: Record<string, string | number>, signal: AbortSignal) => Promise<unknown>

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

type ExactnessParameter = keyof typeof exactness

/**
 * Calls `GET /search`. When it answers 400, the parameters of exactness are left out one by one, first the one that the message
 * names, until it accepts the rest; the process remembers which were accepted. A refusal without any of them concerns the query.
 */
export function createHackernewsCall({ client, budget, baseUrl }: HackernewsCallOptions): CallHackernews {
  let accepted = Object.keys(exactness) as ExactnessParameter[]

  return async (parameters, signal) => {
    let sent = accepted
    for (;;) {
      const exact = Object.fromEntries(sent.map((name) => [name, exactness[name]]))
      const { status, body } = await client.getJson({
        platform: 'hackernews',
        url: endpointUrl(baseUrl, '/search', { ...parameters, ...exact }),
        budget,
        signal,
        readError: (answer) =>
          answer.status === 400 && sent.length === 0
            ? new PlatformError('bad_response', 'hackernews refused the query (400).')
            : null,
        acceptStatuses: sent.length > 0 ? [400] : [],
      })
      if (status !== 400) {
        if (sent.length < accepted.length) accepted = sent
        return body
      }
      sent = withoutRefused(sent, asString(asFields(body)?.message) ?? '')
    }
  }
}

function withoutRefused(sent: ExactnessParameter[], message: string): ExactnessParameter[] {
  const refused = sent.find((name) => message.includes(name)) ?? sent[0]
  return sent.filter((name) => name !== refused)
}
