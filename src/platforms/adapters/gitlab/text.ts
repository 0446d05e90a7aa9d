import { flowingMarkdownToPlainText } from '../../content/text.ts'

/** Attributes of an image or link: `{width=600 height=349}` (docs.gitlab.com/user/markdown, "Change image or video dimensions"). */
const attributes = /(\]\([^()\n]{0,2000}\)|\]\[[^[\]\n]{0,200}\])\{[^{}\n]{0,200}\}/g
/** A table of contents, alone on its line. */
const tableOfContents = /^\s*(?:\[\[_?TOC_?\]\]|\[TOC\])\s*$/i
/** Commands to GitLab, each on a line of its own (docs.gitlab.com/user/project/quick_actions). */
const quickAction =
  /^\/(?:add_contacts|add_child|approve|assign|assign_reviewer|award|blocked_by|blocks|cc|clear_health_status|clear_weight|clone|close|confidential|copy_metadata|create_merge_request|done|due|duplicate|epic|estimate|health_status|invite_email|iteration|label|link|linked|lock|merge|milestone|move|parent|promote|promote_to|promote_to_incident|publish|react|reassign|relabel|relate|remove_(?:contacts|due_date|epic|estimate|iteration|milestone|parent|time_spent|zoom)|reopen|set_parent|severity|spend|spend_time|status|subscribe|tag|timeline|title|todo|type|unassign|unlabel|unlink|unlock|unsubscribe|weight|zoom)(?:\s.*)?$/

/** Markdown as GitLab shows it, as plain text: without what only steers GitLab. Code stays as it is. */
export function gitlabToPlainText(source: string): string {
  let fence: string | null = null
  const lines = source.split('\n').map((line) => {
    const opening = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null
    if (fence !== null) {
      if (opening?.startsWith(fence)) fence = null
      return line
    }
    if (opening !== null) fence = opening
    else if (tableOfContents.test(line) || quickAction.test(line.trimEnd())) return ''
    return line.replace(attributes, '$1')
  })
  return flowingMarkdownToPlainText(lines.join('\n'))
}
