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
/** Whether a text may have one of them; few texts do. */
const mayHaveAlias = /\+\+|#|\.net|js|objective/iu

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
const joinedName = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:_+[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu

/** Whether a name may have parts: without this nothing in it is a boundary. */
const mayHaveParts = /_|[\p{L}\p{N}]\p{Lu}/u

/** `darkMode` and `dark_mode` as they are and in parts, so that they are found however they are typed: `darkmode dark mode`. */
function withPartsOfNames(text: string): string {
  return text.replace(joinedName, (found) => {
    if (!mayHaveParts.test(found)) return found
    const parts = found.replace(camelBoundary, ' ').replaceAll('_', ' ')
    return parts === found ? found : `${found.replaceAll('_', '')} ${parts}`
  })
}

/** A number of two to four parts: `2.10.1`, `v18.4`; not the end of a longer one, nor a part of a word. */
const versionNumber = /(?<![\p{L}\p{N}.])(v?)(\d{1,6}(?:\.\d{1,6}){1,3})(?!\.?\p{N})/giu

/**
 * `v2.10.1` is found by itself and by what it begins with, and not by a stray 10 or 1: a text has it as
 * `v2 2 2dot10 2dot10dot1`, a query has it as `2dot10dot1`.
 */
const withVersions = (text: string, isQuery: boolean): string =>
  text.replace(versionNumber, (_, v: string, numbers: string) => {
    const parts = numbers.split('.')
    const beginnings = parts.map((__, index) => parts.slice(0, index + 1).join('dot'))
    const words = isQuery ? beginnings.slice(-1) : [...(v === '' ? [] : [`v${parts[0]}`]), ...beginnings]
    return ` ${words.join(' ')} `
  })

/**
 * Letters that have no decomposition, and how people type them who have no key for them: those that Unicode's collation for searching takes
 * for equal (CLDR, `search`; `normalise.test.ts` compares them with `Intl.Collator`), þ and ı of which it tells apart, and the letters that the
 * keyboards of Arabic and Persian have for one sound.
 */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ґ: 'г',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ٴ: 'ء',
  ۥ: 'و',
  ۦ: 'ي',
  ך: 'כ',
  ם: 'מ',
  ן: 'נ',
  ף: 'פ',
  ץ: 'צ',
  װ: 'וו',
  ױ: 'וי',
  ײ: 'יי',
}
const lettersWithPlainForm = Object.keys(plainLetters).join('')
const letterWithPlainForm = new RegExp(`[${lettersWithPlainForm}]`, 'gu')

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

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII.
const ascii = /^[\x00-\x7f]*$/

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

/** The value of a decimal digit of any script. In Unicode the ten of a script follow one another, zero first, and so may those of two scripts. */
function asciiDigit(digit: string): string {
  const known = asciiDigits.get(digit)
  if (known !== undefined) return known
  const code = digit.codePointAt(0)!
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++
  asciiDigits.set(digit, String(before % 10))
  return String(before % 10)
}
const asciiDigits = new Map<string, string>()

/** Characters that do not count: invisible ones, and kashida, which only makes a word of Arabic letters longer. */
const uncounted = /[\p{Default_Ignorable_Code_Point}\u0640]+/gu
const foreignDigit = /[\p{Nd}--[0-9]]/gv
const letterOrDigit = new RegExp(`[${lettersWithPlainForm}${foreignDigit.source}]`, 'gv')

const endsInArabic = /[\p{Script=Arabic}\u0640]\p{M}{0,8}$/u
const beginsInArabic = /^[\p{Script=Arabic}\u0640]/u

/** In Persian a zero width non-joiner parts a word as a space does, or not at all: a text has both, as of `dark_mode`. */
const withNonJoiners = (text: string): string =>
  text.replace(/\u200c+/g, (run, index: number) => {
    const next = index + run.length
    const isBetween =
      endsInArabic.test(text.slice(Math.max(0, index - 9), index)) && beginsInArabic.test(text.slice(next, next + 2))
    return isBetween ? '_' : ''
  })

/**
 * A text in which each word of its normalised form, but for the names and version numbers that normalisation writes in another way,
 * is somewhere: lower case, without marks and underscores. It costs a tenth of `normaliseText`, which need not be called for a text
 * that cannot contain a word.
 */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase().replaceAll('_', '')
  return text
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\u0640_]+/gu, '')
    .toLowerCase()
    .replace(letterOrDigit, (one) => plainLetters[one] ?? asciiDigit(one))
}

/** Whether normalisation may have written a word in another way than a text has it: C++, .NET, 2.10. */
export const isRewrittenName = (word: string): boolean => /plusplus|sharp|objectivec|dot|^c$|^js$/.test(word)

/** Compatibility forms folded, nothing invisible. */
const withCompatibleForms = (text: string, limit: number): string =>
  withNonJoiners(
    text
      // More marks on a letter than any script uses; normalisation would sort them in quadratic time.
      .replace(/(\p{M}{8})\p{M}+/gu, '$1')
      .normalize('NFKC')
      // One character may have become eighteen.
      .slice(0, limit)
      .replace(/\u200b/gu, ' ')
      .replace(foreignDigit, asciiDigit),
  ).replace(uncounted, '')

/** A letter whose marks do not count, with them; the breve of й does, which is a letter of its own. */
const markedLetter =
  /(и(?:\u0306|(?!\u0306))|[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}[\p{Script=Cyrillic}--и]])\p{Mn}+/gv

/** Words of letters without accents and digits, in lower case, with spaces between them. */
const plainWords = (text: string): string =>
  withCharacterPairs(
    text
      .normalize('NFD')
      .replace(markedLetter, '$1')
      .normalize('NFKC')
      .replace(letterWithPlainForm, (letter) => plainLetters[letter] ?? letter)
      .replace(/[^\p{L}\p{N}\p{Mn}\p{Mc}]+/gu, ' ')
      .replace(/(?<![\p{L}\p{N}\p{M}])\p{M}+/gu, ''),
  )

function normalise(text: string, { limit, isQuery }: { limit: number; isQuery: boolean }): string {
  // ASCII has neither forms, marks nor scripts without spaces: half of the time.
  const isAscii = ascii.test(text)
  let words = isAscii ? text.slice(0, limit) : withCompatibleForms(text, limit)
  if (mayHaveAlias.test(words)) for (const [pattern, alias] of aliases) words = words.replace(pattern, alias)
  if (/\d\.\d/.test(words)) words = withVersions(words, isQuery)
  words = withPartsOfNames(words.replace(wholeNames, (found) => found.toLowerCase())).toLowerCase()
  words = isAscii ? words.replace(/[^a-z0-9]+/g, ' ') : plainWords(words)
  return words.replace(tooLong, '$1$2').replace(/ {2,}/gu, ' ').trim()
}
