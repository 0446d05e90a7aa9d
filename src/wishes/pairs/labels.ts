import { normaliseText } from '../../runtime/text/normalise.ts'

/** Words of labels that say what kind of ticket it is, not which part of a product it is about. */
const kinds: ReadonlySet<string> = new Set(
  `feature features request requests requested fr rfe req suggestion suggestions suggest idea ideas proposal enhancement enhancements
  improvement improvements bug question discussion wish wishlist rfc story task todo wip backport cherry pick clone copy duplicate poll
  meta help please new dev`.split(/\s+/),
)

const maxLength = 40
const maxWords = 3
const before = new RegExp(`^\\s*(?:\\[([^\\]]{1,${maxLength}})\\]|\\(([^)]{1,${maxLength}})\\))[\\s:|–—-]*`, 'u')
const after = new RegExp(`[[(]([^[\\]()]{1,${maxLength}})[\\])]\\s*$`, 'u')
/** Not the colon of a time, an address or a namespace. */
const separated = new RegExp(`^\\s*([^:|]{1,${maxLength}}?)(?:\\s*:(?![:/\\p{N}])|\\s+[-–—|]+)\\s*(?=\\S)`, 'u')
const contraction = /(?<=\p{L})['’](?:d|ll|m|re|s|t|ve)(?!\p{L})/giu

const countWords = (label: string) => label.trim().split(/\s+/).length

/**
 * Splits a title such as `[Feature request] Android: dark mode (backport)` into its labels, here `Android`, and the rest, here
 * `dark mode`. Words that say what kind of ticket it is are left out.
 */
export function splitLabels(title: string): { labels: string[]; body: string } {
  const labels: string[] = []
  let body = title.replace(contraction, '')
  const wordsOf = (label: string) => normaliseText(label).split(' ')
  const end = after.exec(body)
  if (end !== null && countWords(end[1]!) <= maxWords && wordsOf(end[1]!).some((word) => kinds.has(word))) {
    body = body.slice(0, end.index).trimEnd()
  }
  for (;;) {
    const found = before.exec(body) ?? separated.exec(body)
    const label = found?.[1] ?? found?.[2] ?? ''
    if (found === null || countWords(label) > maxWords) return { labels, body }
    const words = wordsOf(label)
    if (words.some((word) => kinds.has(word))) labels.push(words.filter((word) => !kinds.has(word)).join(' '))
    else labels.push(label)
    body = body.slice(found[0].length)
  }
}
