/** The fields of a request that a search covers. */
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
const titleWeight = 4
/** Longer words are cut: Postgres refuses a lexeme of 2,048 bytes, and 100 characters are at most 400. */
const wordLimit = 100

const tooLong = new RegExp(`(^| )([^ ]{${wordLimit}})[^ ]+`, 'gu')

/** A pattern that does not begin in the middle of a word. */
const name = (pattern: string, flags: string) => new RegExp(`(?<![\\p{L}\\p{N}])${pattern}`, flags)
const end = '(?![\\p{L}\\p{N}])'

/** Names that their punctuation distinguishes, or that people write with and without it. */
const aliases: readonly (readonly [RegExp, string])[] = [
  [name('(objective)[ -]?c\\+\\+', 'giu'), ' $1cplusplus '],
  [name('(objective)[ -]?c(?![\\p{L}\\p{N}+#])', 'giu'), ' $1c '],
  [name('([cg])\\+\\+', 'giu'), ' $1plusplus '],
  [name('([acfjq])#', 'giu'), ' $1sharp '],
  [name(`(asp|ado|vb|ml)\\.net${end}`, 'giu'), ' $1 dotnet '],
  [name(`(?<!\\.)\\.net${end}`, 'giu'), ' dotnet '],
  [name(`(node|vue|react|next|nuxt|angular|express|three)js${end}`, 'giu'), ' $1 js '],
]
/** Names that are one word: a search for `java`, `git` or `you` does not mean these. */
const wholeNames = name(`(?:JavaScript|TypeScript|GitHub|GitLab|YouTube|LinkedIn|WordPress)${end}`, 'gu')

/** Where a word in camel case is two: `darkMode`, `HTTPServer`, `Base64Encode`; not `iOS`, `OAuth`, `APIs`, `2FA`. */
const camelBoundary = new RegExp(
  '(?<=\\p{L}\\p{Ll})(?=\\p{Lu})' +
    '|(?<=[\\p{L}\\p{N}]\\p{Lu})(?=\\p{Lu}\\p{Ll})(?!\\p{Lu}s(?![\\p{L}\\p{N}]))' +
    '|(?<=\\p{L}\\p{N})(?=\\p{Lu}\\p{Ll})',
  'gu',
)

/** A name of several words as programs write it: `darkMode`, `dark_mode`. */
const joinedName = /[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)*/gu

/** `darkMode` and `dark_mode` as they are and in parts, so that they are found however they are typed: `darkmode dark mode`. */
function withPartsOfNames(text: string): string {
  return text.replace(joinedName, (found) => {
    const parts = found.replace(camelBoundary, ' ').replaceAll('_', ' ')
    return parts === found ? found : `${found.replaceAll('_', '')} ${parts}`
  })
}

/** A number of two to four parts: `2.10.1`, `v18.4`; not the end of a longer one, nor a part of a word. */
const versionNumber = /(?<![\p{L}\p{N}.])(v?)(\d{1,6}(?:\.\d{1,6}){1,3})(?!\.?\p{N})/giu

/**
 * `v2.10.1` is found by itself and by what it begins with, and not by a stray 10 or 1: a text has it as
 * `v2 2 2dot10 2dot10dot1`, a query has it as `v2 2dot10dot1`.
 */
const withVersions = (text: string, isQuery: boolean): string =>
  text.replace(versionNumber, (_, v: string, numbers: string) => {
    const parts = numbers.split('.')
    const beginnings = parts.map((__, index) => parts.slice(0, index + 1).join('dot'))
    const words = isQuery ? beginnings.slice(-1) : beginnings
    return ` ${[...(v === '' ? [] : [`v${parts[0]}`]), ...words].join(' ')} `
  })

/** Letters that have no decomposition, and how people type them who have no key for them. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
}
const letterWithPlainForm = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu')

const unspacedScripts = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
/** A regular expression for a character of a script without spaces, with its marks. */
export const unspacedCharacterPattern = `(?:(?!\\p{M})[${unspacedScripts.map((script) => `\\p{scx=${script}}`).join('')}]\\p{M}*)`
const unspacedRun = new RegExp(`${unspacedCharacterPattern}+`, 'gu')
const unspacedCharacter = new RegExp(unspacedCharacterPattern, 'gu')

/**
 * Chinese, Japanese and Thai have no spaces, and Korean words end in particles: every two neighbouring characters are a
 * word, as in Lucene's CJKAnalyzer. Where a word ends need not be known, so whatever a text contains is found in it.
 */
function withCharacterPairs(text: string): string {
  return text.replace(unspacedRun, (run) => {
    const characters = run.match(unspacedCharacter) ?? []
    const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
    return ` ${pairs.length > 0 ? pairs.join(' ') : run} `
  })
}

/**
 * The words of a text in the one form in which they are indexed and searched: compatibility forms folded, lower case,
 * Latin letters without accents, names such as C++ and .NET as words, camel case also in parts, and no character that is
 * not a letter, a digit or a mark of one, so that the parser of Postgres finds nothing but words.
 * Stemming is left to the text search configuration. Never throws; takes time linear in the length of the text.
 * @param limit stops after about this many UTF-16 units, however many more the compatibility forms unfold to
 */
export const normaliseText = (text: string, limit = Number.POSITIVE_INFINITY): string =>
  normalise(text, { limit, isQuery: false })

/** The same for a query: a version number is only itself, where a text is found also by the beginning of one. */
export const normaliseQuery = (text: string): string =>
  normalise(text, { limit: Number.POSITIVE_INFINITY, isQuery: true })

function normalise(text: string, { limit, isQuery }: { limit: number; isQuery: boolean }): string {
  let words = text
    // More marks on a letter than any script uses; normalisation would sort them in quadratic time.
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .normalize('NFKC')
    // One character may have become eighteen.
    .slice(0, limit)
    .replace(/\u200b/gu, ' ')
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
  for (const [pattern, alias] of aliases) words = words.replace(pattern, alias)
  words = withVersions(words, isQuery)
  words = withPartsOfNames(words.replace(wholeNames, (found) => found.toLowerCase()))
    .toLowerCase()
    .normalize('NFD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}])\p{Mn}+/gu, '$1')
    .normalize('NFKC')
    .replace(letterWithPlainForm, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^\p{L}\p{N}\p{Mn}\p{Mc}]+/gu, ' ')
    .replace(/(?<![\p{L}\p{N}\p{M}])\p{M}+/gu, '')
  return withCharacterPairs(words).replace(tooLong, '$1$2').replace(/ {2,}/gu, ' ').trim()
}

/** Whole words of a normalised text, at most `limit` UTF-16 units of them. */
const clip = (text: string, limit: number) =>
  text.length <= limit ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', limit)))

const normaliseUpTo = (text: string, limit: number) => clip(normaliseText(text.slice(0, limit), limit), limit)

/** Between the fields of a searched text, so that no phrase reaches from one into the next. */
export const fieldBoundary = ' \n '

/** The single characters of a normalised text that are indexed only in pairs: a query may be one of them. */
function singleCharacters(...texts: string[]): string {
  const found = new Set<string>()
  for (const text of texts) {
    for (const [run] of text.matchAll(unspacedRun)) {
      for (const [character] of run.matchAll(unspacedCharacter)) found.add(character)
    }
  }
  return [...found].join(' ')
}

/**
 * The text that the search index covers: the title several times, the tags, the author's name and handle, and as much of
 * the description as the limit leaves room for.
 */
export function searchTextOf(request: SearchedRequest): string {
  const title = normaliseUpTo(request.title, 1_000)
  const tags = normaliseUpTo(request.tags.join(' '), 4_000)
  const author = normaliseUpTo(`${request.authorName ?? ''} ${request.authorHandle ?? ''}`, 400)
  const description = normaliseUpTo(request.description, searchTextLimit)
  const characters = clip(singleCharacters(title, tags, author, description), 2_000)
  const parts = [...Array<string>(titleWeight).fill(title), tags, author, characters, description]
  return clip(parts.filter((part) => part !== '').join(fieldBoundary), searchTextLimit)
}
