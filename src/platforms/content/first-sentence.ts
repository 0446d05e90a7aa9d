import { plainTitle } from './plain-text.ts'

/** A sentence always continues after these. */
const joining = new Set(
  `mr mrs ms mx dr prof st mt ft rev hon gov sen rep gen col lt sgt capt pres vs v e.g eg i.e ie cf al esp approx ca fig figs eq
  vol ch sec pp ver nr z.b d.h bzw`.split(/\s+/),
)
/** A sentence continues after these unless the next word starts one. */
const ambiguous = new Set(
  `no nos inc ltd co corp llc bros jr sr etc dept univ est resp incl excl max min misc jan feb mar apr jun jul aug sep sept oct
  nov dec mon tue tues wed thu thur thurs fri sat sun a.m p.m ph.d m.d b.a m.a ave blvd rd`.split(/\s+/),
)
const sentenceStarts = new Set(
  `a an and are as at but by can could did do does for from he her here his hope how however i i'd i'll i'm i've if in is it it's
  its let let's maybe my not now of on or our please she should so some thank thanks that the their then there these they this
  those to we we'd what when where which while who why will with would yes you your`.split(/\s+/),
)

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/**
 * Makes a title: the first sentence, or line if shorter. Abbreviations, initials and list numbers end none.
 * @param limit in characters; cuts between words if possible and appends "…"
 */
export function firstSentence(description: string, limit = 120): string {
  const start = description.trim().slice(0, 8 * limit)
  const characters = [...plainTitle(firstOf(start))]
  if (characters.length <= limit) return characters.join('')
  const cut = characters.slice(0, limit - 1).join('')
  const lastSpace = cut.lastIndexOf(' ')
  return `${(lastSpace > cut.length / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`
}

/** The first line with a word: earlier ones may be only emoji. */
function firstOf(start: string): string {
  const lines = start.split('\n')
  const line = lines.find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? lines[0] ?? ''
  const segments = [...segmenter.segment(line)].map(({ segment }) => segment)
  let sentence = ''
  for (const [index, segment] of segments.entries()) {
    sentence += segment
    if (!goesOn(sentence, segments[index + 1] ?? '')) break
  }
  return sentence
}

function goesOn(sentence: string, next: string): boolean {
  const text = sentence.trim()
  // Only a mark or list number.
  if (!/\p{L}{2}|\p{L}(?!\.$)/u.test(text)) return true
  const [, last] = /(?:^|[\s("'“‘/-])([\p{L}\p{N}][\p{L}\p{N}.]*)\.$/u.exec(text) ?? []
  if (last === undefined) return false
  const word = last.toLowerCase()
  const isNumber = /^[\s#]*\p{N}/u.test(next)
  if (word === 'no') return isNumber || (last !== text.slice(0, -1) && last === 'No' && !beginsSentence(next))
  if (joining.has(word)) return true
  const isInitial = /^\p{Lu}$/u.test(last) || /^(?:\p{L}\.)+\p{L}$/u.test(last)
  if (/^v?\p{N}+$/u.test(word)) return false
  return (isInitial || ambiguous.has(word)) && !beginsSentence(next)
}

function beginsSentence(next: string): boolean {
  const [word] = /^\s*["'“‘(]?[\p{L}'’]+(?![.\p{L}])/u.exec(next) ?? []
  return (
    word !== undefined &&
    sentenceStarts.has(
      word
        .replace(/^[\s"'“‘(]+/, '')
        .replace('’', "'")
        .toLowerCase(),
    )
  )
}
