import type { TrackerType } from '../../database/tables/notifications.ts'

/** What ends a reference, and is not seen. */
const breaker = '\u200B'

/** What every tracker, or the most of them, takes for a mention of somebody or a link to something else: behind it the breaker stands. */
const everywhere = [
  // People, groups, issues, merge requests, labels, milestones, snippets, epics, alerts: docs.gitlab.com/user/markdown, "GitLab-specific references".
  /[@#!%~$&^](?=[\p{L}\p{N}_"[])/u,
  // docs.github.com, "Autolinked references and URLs"; GL-12 is GitLab's.
  /\bG[HL](?=-\d)/iu,
  // [issue:12], [vulnerability:12], [feature_flag:12], [contact:…], [cadence:…], and pages of a wiki: [[page]].
  /\[(?=[a-z_]{2,30}:|\[)/iu,
  // *iteration:1, *iteration:"name".
  /\*(?=iteration:)/iu,
  // Commits, by seven digits or more of their hash; a number or a word has only digits, or none.
  /\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{3}(?=[0-9a-f]{4,37}\b)/iu,
  // The address of an issue: GitLab reads it in titles, too.
  /\bhttps?:(?=\/\/)/iu,
]

/** Issues by their keys, which Linear links wherever they stand (linear.app/docs, "Issue relations"). */
const keys = /\b[A-Z][A-Z0-9]{0,9}(?=-\d)/u

const anyOf = (syntaxes: readonly RegExp[]) => new RegExp(syntaxes.map(({ source }) => source).join('|'), 'giu')

const inAll = anyOf(everywhere)
const inLinear = anyOf([...everywhere, keys])

/** A text that mentions nobody and nothing in a tracker. @param type null: of any that has no keys of its own */
export const withoutReferences = (text: string, type: TrackerType | null = null): string =>
  text.replace(type === 'linear' ? inLinear : inAll, `$&${breaker}`)
