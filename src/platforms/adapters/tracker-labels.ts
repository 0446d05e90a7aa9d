import type { RequestStatus } from '../../database/column-types.ts'

/** What a tracker label means: a status, or `stale` if a bot marked the issue as inactive. */
export type LabelMeaning = Exclude<RequestStatus, 'open' | 'closed'> | 'stale'

/** Prefixes of a label's value, as in `status: planned`, `workflow::in dev`, `lifecycle/stale`, `R: wontfix`. */
const scope = /^(?:(?:status|state|stage|workflow|lifecycle|resolution|triage|closed|close|issue|bot|r|s) )+(?=.)/

const meanings: readonly (readonly [LabelMeaning, RegExp])[] = [
  [
    'stale',
    /^(?:(?:auto )?(?:stale|staled|staleness|stalebot|rotten|inactive|inactivity|abandoned)(?: (?:issue|closed?|bot|\d+ ?d(?:ays)?))?|for staleness|(?:no|lack of) (?:recent |issue )?activity|(?:for|due to) inactivity|(?:auto|automatic(?:ally)?|bot) ?closed?|no response|marked ?for ?auto ?close|(?:as |by )(?:stale|bot|stale bot)|awaiting feedback)$/,
  ],
  ['duplicate', /^(?:as )?(?:duplicated?(?: (?:issue|of))?|dupe)$/],
  [
    'declined',
    /^(?:as )?(?:wont ?(?:fix|do|implement)|will not (?:fix|do|implement)|declined|rejected|out of scope|not planned)$/,
  ],
  ['completed', /^(?:done|completed?|implemented|released|shipped|delivered)$/],
  [
    'in_progress',
    /^(?:(?:work )?in progress|wip|started|doing|in (?:dev|development|review)|under development|verification)$/,
  ],
  ['planned', /^(?:planned|accepted|(?:on )?(?:the )?roadmap|backlog|scheduled|scheduling|planning(?: .*)?)$/],
]

/** Labels vary in case, separators and scope. Bot labels: the actions/stale README, Kubernetes and GitLab. */
export function meaningsOfLabels(labels: readonly string[]): ReadonlySet<LabelMeaning> {
  const found = new Set<LabelMeaning>()
  for (const label of labels) {
    const words = label
      .toLowerCase()
      .replace(/['’]/g, '')
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
    const value = words.replace(scope, '')
    // The scope may itself be the meaning: `auto-closed`, `closed: stale`.
    const meaning = meanings.find(([, pattern]) => pattern.test(value) || pattern.test(words))?.[0]
    if (meaning) found.add(meaning)
  }
  return found
}

/** An open issue's status, by its labels. */
export function statusWhileOpen(found: ReadonlySet<LabelMeaning>): RequestStatus {
  if (found.has('declined')) return 'declined'
  if (found.has('in_progress')) return 'in_progress'
  return found.has('planned') ? 'planned' : 'open'
}
