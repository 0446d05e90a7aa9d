/** What a request is found by. */
export interface SearchedRequest {
  title: string
  description: string
  tags: readonly string[]
  authorName: string | null
  authorHandle: string | null
}

/** The indexed text of a request has at most this many UTF-16 units; the end of a longer description is not found. */
export const searchTextLimit = 20_000
/** A word in the title counts like this many in the description. */
const titleWeight = 3
/** A query asks for at most this many different words; those after them are ignored. */
export const queryWordLimit = 64
/** Longer words are cut: Postgres refuses a lexeme of 2,048 bytes, and 100 characters are at most 400. */
const wordLimit = 100

const tooLong = new RegExp(`(^| )([^ ]{${wordLimit}})[^ ]+`, 'gu')

/** A pattern that does not begin in the middle of a word. */
const name = (pattern: string, flags: string) => new RegExp(`(?<![\\p{L}\\p{N}])${pattern}`, flags)
const end = '(?![\\p{L}\\p{N}])'

/** Names that lose what tells them apart with their punctuation, or that people write with and without it. */
const aliases: readonly (readonly [RegExp, string])[] = [
  [name('(objective)[ -]?c\\+\\+', 'giu'), ' $1cplusplus '],
  [name('(objective)[ -]?c(?![\\p{L}\\p{N}+#])', 'giu'), ' $1c '],
  [name('([cg])\\+\\+', 'giu'), ' $1plusplus '],
  [name('([acfjq])#', 'giu'), ' $1sharp '],
  [name(`(asp|ado|vb|ml)\\.net${end}`, 'giu'), ' $1 dotnet '],
  [name(`(?<!\\.)\\.net${end}`, 'giu'), ' dotnet '],
  [name(`(node|vue|react|next|nuxt|angular|express|three)js${end}`, 'giu'), ' $1 js '],
]
/** One word to everybody: whoever searches for `java`, `git` or `you` does not mean these. */
const wholeNames = name(`(?:JavaScript|TypeScript|GitHub|GitLab|YouTube|LinkedIn|WordPress)${end}`, 'gu')

/** Where a word in camel case is two: `darkMode`, `HTTPServer`, `Base64Encode`; not `iOS`, `OAuth`, `APIs`, `2FA`. */
const camelBoundary = new RegExp(
  '(?<=\\p{L}\\p{Ll})(?=\\p{Lu})' +
    '|(?<=[\\p{L}\\p{N}]\\p{Lu})(?=\\p{Lu}\\p{Ll})(?!\\p{Lu}s(?![\\p{L}\\p{N}]))' +
    '|(?<=\\p{L}\\p{N})(?=\\p{Lu}\\p{Ll})',
  'gu',
)

/** A word in camel case and its parts, so that it is found however it is typed: `DarkMode` by `darkmode` and `dark mode`. */
function withCamelParts(text: string): string {
  if (text.search(camelBoundary) === -1) return text
  return text.replace(/[\p{L}\p{N}]+/gu, (word) => {
    const parts = word.replace(camelBoundary, ' ')
    return parts === word ? word : `${word} ${parts}`
  })
}

const unspaced = '(?:(?!\\p{M})[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}]\\p{M}*)'
const unspacedRun = new RegExp(`${unspaced}+`, 'gu')
const unspacedCharacter = new RegExp(unspaced, 'gu')

/** Chinese and Japanese have no spaces: every two neighbouring characters are a word, as in Lucene's CJKAnalyzer. */
function withCharacterPairs(text: string): string {
  return text.replace(unspacedRun, (run) => {
    const characters = run.match(unspacedCharacter) ?? []
    const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
    return ` ${pairs.length > 0 ? pairs.join(' ') : run} `
  })
}

/**
 * The words of a text in the one form in which they are indexed and asked for: compatibility forms folded, lower case,
 * Latin letters without accents, names such as C++ and .NET as words, camel case also in parts, and no character that is
 * not a letter, a digit or a mark of one, so that the parser of Postgres finds nothing but words.
 * Stemming is left to the text search configuration. Never throws; takes time linear in the length of the text.
 * @param limit stops after about this many UTF-16 units, however many more the compatibility forms unfold to
 */
export function normaliseText(text: string, limit = Number.POSITIVE_INFINITY): string {
  let words = text
    // More marks on a letter than any script uses; normalisation would sort them in quadratic time.
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .normalize('NFKC')
    // One character may have become eighteen.
    .slice(0, limit)
    .replace(/\u200b/gu, ' ')
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
  for (const [pattern, alias] of aliases) words = words.replace(pattern, alias)
  words = withCamelParts(words.replace(wholeNames, (found) => found.toLowerCase()))
    .toLowerCase()
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}\p{Mn}\p{Mc}]+/gu, ' ')
    .replace(/(?<![\p{L}\p{N}\p{M}])\p{M}+/gu, '')
  return withCharacterPairs(words).replace(tooLong, '$1$2').replace(/ {2,}/gu, ' ').trim()
}

/** Whole words of a normalised text, at most `limit` UTF-16 units of them. */
const clip = (text: string, limit: number) =>
  text.length <= limit ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', limit)))

const normaliseUpTo = (text: string, limit: number) => clip(normaliseText(text.slice(0, limit), limit), limit)

/**
 * The text that the search index covers: the title three times, the tags, the author's name and handle, and as much of
 * the description as the limit leaves room for.
 */
export function searchTextOf(request: SearchedRequest): string {
  const title = normaliseUpTo(request.title, 1_000)
  const tags = normaliseUpTo(request.tags.join(' '), 4_000)
  const author = normaliseUpTo(`${request.authorName ?? ''} ${request.authorHandle ?? ''}`, 400)
  const description = normaliseUpTo(request.description, searchTextLimit)
  const parts = [...Array<string>(titleWeight).fill(title), tags, author, description]
  return clip(parts.filter((part) => part !== '').join(' '), searchTextLimit)
}

/** The stop words of Snowball's English stemmer, and what is left of its contractions without their apostrophe. */
const stopWords = new Set(
  `a about above after again against all am an and any are aren as at be because been before being below between both
  but by can couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn have haven
  having he her here hers herself him himself his how i if in into is isn it its itself just ll m me mightn more most
  mustn my myself needn no nor not now of off on once only or other our ours ourselves out over own re s same shan she
  should shouldn so some such t than that the their theirs them themselves then there these they this those through to
  too under until up ve very was wasn we were weren what when where which while who whom why will with won wouldn you
  your yours yourself yourselves`.split(/\s+/),
)

/**
 * The different words to search for, separated by single spaces; the same words as `normaliseText` makes of a text.
 * Stop words are left out unless the query has nothing else ("to be or not to be").
 * @returns '' when the query has no word at all: then nothing can match.
 */
export function normaliseQuery(query: string): string {
  const words = [...new Set(normaliseText(query).split(' '))]
  const telling = words.filter((word) => !stopWords.has(word))
  return (telling.length > 0 ? telling : words).slice(0, queryWordLimit).join(' ')
}
