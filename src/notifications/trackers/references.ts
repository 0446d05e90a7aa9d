import { type EscapedFor, escapeFor } from '../../runtime/text/foreign.ts'

/** A text without mentions and references in any tracker. */
export type TrackerText = EscapedFor<'tracker'>

/** Invisibly ends a reference. */
const breaker = '\u200B'

/** What trackers take for mentions or references; a breaker follows it. A webhook's receiver may be any tracker. */
const references = [
  // People, groups, labels, milestones, bare or quoted: docs.gitlab.com/user/markdown, "GitLab-specific references".
  /[@~%](?=[\p{L}\p{M}\p{N}_"'[.?&-])/u,
  // Issues, merge requests, snippets, epics, alerts; Jira's images and attachments (jira.atlassian.com, "Text
  // Formatting Notation Help").
  /[#!$&^](?=[\p{L}\p{N}_"[])/u,
  // Projects: group/project>.
  /\/(?=[\w./-]{1,500}>)/u,
  // [issue:12], [work_item:12], [feature_flag:12], [contact:…], [cadence:…], wiki pages [[page]], files [name](path).
  /\[(?=[a-z_]{2,30}:|\[)|\](?=\()/u,
  // *iteration:1, *iteration:"name".
  /\*(?=iteration:)/u,
  // Issue keys: docs.gitlab.com, "Reference YouTrack issues in GitLab" (GL-12, Api_32-143, yt-1); docs.github.com,
  // "Autolinked references and URLs" (GH-26, TICKET-12); Jira and Linear (linear.app/docs, "Issue relations").
  /(?<![\p{L}\p{N}_])[a-z][a-z0-9_]*(?=-\d)/u,
  // Commits: seven or more hash digits, mixing letters and digits, unlike a number or a word.
  /\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{3}(?=[0-9a-f]{4,61}\b)/u,
  // URLs of issues (GitLab reads them in titles, too), labels, commits, people.
  /:(?=\/\/)|\bwww(?=\.)/u,
  // Commands at a line's start: docs.gitlab.com, "GitLab quick actions".
  /^\/(?=\p{L})/u,
]
const all = new RegExp(references.map(({ source }) => source).join('|'), 'gimu')

const broken = (text: string) => text.replace(all, `$&${breaker}`)

/** Escapes everything sent to a tracker. */
export const forTracker = escapeFor<'tracker'>(broken)
/** For titles: at most 255 characters, the lowest limit of GitLab, GitHub and Jira. */
export const titleForTracker = escapeFor<'tracker'>((text) => [...broken(text)].slice(0, 255).join(''))
