/**
 * A text without the marks around its spoilers and folded parts, whose content stays: `[spoiler]…[/spoiler]` and
 * `[details="Title"]…[/details]` of Discourse, `>!…!<` of Reddit.
 */
export function withoutSpoilerMarks(text: string): string {
  return withoutRedditMarks(
    text.replace(/\[(\/?)(?:spoiler|details)(?:=("[^"\n\]]{0,200}"|[^\]\n"]{0,200}))?\]/gi, (_, closing, title = '') =>
      closing === '/' ? '' : title.replaceAll('"', ''),
    ),
  )
}

/** Only marks that are a pair: `a >! b` is code. */
function withoutRedditMarks(text: string): string {
  let isOpen = false
  let closings = text.split('!<').length - 1
  return text.replace(/>!|!</g, (mark) => {
    if (mark === '!<') {
      closings -= 1
      if (!isOpen) return mark
      isOpen = false
      return ''
    }
    if (isOpen || closings === 0) return mark
    isOpen = true
    return ''
  })
}
