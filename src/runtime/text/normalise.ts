/** Cuts longer words: Postgres refuses lexemes of 2,048 bytes, and 100 characters have at most 400. */
const wordLimit = 100

const tooLong = new RegExp(`(^| )([^ ]{${wordLimit}})[^ ]+`, 'gu')

/** A pattern that must not start within a word. */
const name = (pattern: string, flags: string) => new RegExp(`(?<![\\p{L}\\p{N}])${pattern}`, flags)
const end = '(?![\\p{L}\\p{N}])'

/** Names that punctuation distinguishes, or that are written with and without it. */
const aliases: readonly (readonly [RegExp, string])[] = [
  [name('(objective)[ -]?c\\+\\+', 'giu'), ' $1cplusplus '],
  [name('(objective)[ -]?c(?![\\p{L}\\p{N}+#])', 'giu'), ' $1c '],
  [name('([cg])\\+\\+', 'giu'), ' $1plusplus '],
  [name('([acfjq])#', 'giu'), ' $1sharp '],
  [name(`(asp|ado|vb|ml)\\.net${end}`, 'giu'), ' $1 dotnet '],
  [name(`(?<!\\.)\\.net${end}`, 'giu'), ' dotnet '],
  [name(`(node|vue|react|next|nuxt|angular|express|three)js${end}`, 'giu'), ' $1 js '],
]
/** Quick check for aliases, which few texts have. */
const mayHaveAlias = /\+\+|#|\.net|js|objective/iu

/** Single-word names: searching `java`, `git` or `you` does not mean them. */
const wholeNames = name(`(?:JavaScript|TypeScript|GitHub|GitLab|YouTube|LinkedIn|WordPress)${end}`, 'gu')

/** Splits camel case: `darkMode`, `HTTPServer`, `Base64Encode`; not `iOS`, `OAuth`, `APIs`, `2FA`. */
const camelBoundary = new RegExp(
  '(?<=\\p{L}\\p{Ll})(?=\\p{Lu})' +
    '|(?<=[\\p{L}\\p{N}]\\p{Lu})(?=\\p{Lu}\\p{Ll})(?!\\p{Lu}s(?![\\p{L}\\p{N}]))' +
    '|(?<=\\p{L}\\p{N})(?=\\p{Lu}\\p{Ll})',
  'gu',
)

/** Several words joined as in code: `darkMode`, `dark_mode`. */
const joinedName = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:_+[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu

/** Quick check for names with parts. */
const mayHaveParts = /_|[\p{L}\p{N}]\p{Lu}/u

/** Adds parts, so names are found however they are typed: `darkmode dark mode`. */
function withPartsOfNames(text: string): string {
  return text.replace(joinedName, (found) => {
    if (!mayHaveParts.test(found)) return found
    const parts = found.replace(camelBoundary, ' ').replaceAll('_', ' ')
    return parts === found ? found : `${found.replaceAll('_', '')} ${parts}`
  })
}

/** Two to four numbers: `2.10.1`, `v18.4`; not the end of a longer one, nor within a word. */
const versionNumber = /(?<![\p{L}\p{N}.])(v?)(\d{1,6}(?:\.\d{1,6}){1,3})(?!\.?\p{N})/giu

/** Finds `v2.10.1` by itself and its prefixes, not by a stray 10: text `v2 2 2dot10 2dot10dot1`, query `2dot10dot1`. */
const withVersions = (text: string, isQuery: boolean): string =>
  text.replace(versionNumber, (_, v: string, numbers: string) => {
    const parts = numbers.split('.')
    const beginnings = parts.map((__, index) => parts.slice(0, index + 1).join('dot'))
    const words = isQuery ? beginnings.slice(-1) : [...(v === '' ? [] : [`v${parts[0]}`]), ...beginnings]
    return ` ${words.join(' ')} `
  })

/**
 * Letters without decomposition, as typed without a key for them: those equal in Unicode's search collation (CLDR;
 * `normalise.test.ts` compares with `Intl.Collator`), þ and ı, which it distinguishes, and same-sound letters of Arabic
 * and Persian keyboards.
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
/** Regular expression for a character, with marks, of a script without spaces. */
export const unspacedCharacterPattern = `(?:(?!\\p{M})[${unspacedScripts.map((script) => `\\p{scx=${script}}`).join('')}]\\p{M}*)`
const unspacedRun = new RegExp(`${unspacedCharacterPattern}+`, 'gu')
const unspacedCharacter = new RegExp(unspacedCharacterPattern, 'gu')

/** Character pairs, as in Lucene's CJKAnalyzer: these scripts lack spaces, and Korean words end in particles. */
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
 * The indexed and searched form of words: compatibility forms folded, lower case, Latin without accents, C++ and .NET
 * as words, camel case also in parts; only letters, digits and marks. Unstemmed. Never throws; linear time.
 * @param limit stops after about this many UTF-16 units
 */
export const normaliseText = (text: string, limit = Number.POSITIVE_INFINITY): string =>
  normalise(text, { limit, isQuery: false })

/** The same for queries: a version number is only itself, without prefixes. */
export const normaliseQuery = (text: string): string =>
  normalise(text, { limit: Number.POSITIVE_INFINITY, isQuery: true })

/** The value of any script's decimal digit. Scripts' tens are contiguous from zero, and may adjoin each other. */
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

/** Ignored: invisible characters, and kashida, which only stretches Arabic words. */
const uncounted = /[\p{Default_Ignorable_Code_Point}\u0640]+/gu
const foreignDigit = /[\p{Nd}--[0-9]]/gv
const letterOrDigit = new RegExp(`[${lettersWithPlainForm}${foreignDigit.source}]`, 'gv')

const endsInArabic = /[\p{Script=Arabic}\u0640]\p{M}{0,8}$/u
const beginsInArabic = /^[\p{Script=Arabic}\u0640]/u

/** A Persian zero-width non-joiner may or may not split a word: adds both, as for `dark_mode`. */
const withNonJoiners = (text: string): string =>
  text.replace(/\u200c+/g, (run, index: number) => {
    const next = index + run.length
    const isBetween =
      endsInArabic.test(text.slice(Math.max(0, index - 9), index)) && beginsInArabic.test(text.slice(next, next + 2))
    return isBetween ? '_' : ''
  })

/** Contains each normalized word, except rewritten names and versions; rules texts out at a tenth of the cost. */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase().replaceAll('_', '')
  return text
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\u0640_]+/gu, '')
    .toLowerCase()
    .replace(letterOrDigit, (one) => plainLetters[one] ?? asciiDigit(one))
}

/** Whether normalization may rewrite a word: C++, .NET, 2.10. */
export const isRewrittenName = (word: string): boolean => /plusplus|sharp|objectivec|dot|^c$|^js$/.test(word)

/** Folds compatibility forms, drops invisible characters. */
const withCompatibleForms = (text: string, limit: number): string =>
  withNonJoiners(
    text
      // More marks than any script uses; normalizing would sort them in quadratic time.
      .replace(/(\p{M}{8})\p{M}+/gu, '$1')
      .normalize('NFKC')
      // One character may have become eighteen.
      .slice(0, limit)
      .replace(/\u200b/gu, ' ')
      .replace(foreignDigit, asciiDigit),
  ).replace(uncounted, '')

/** A letter with ignorable marks; the breve of й counts: it is its own letter. */
const markedLetter =
  /(и(?:\u0306|(?!\u0306))|[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}[\p{Script=Cyrillic}--и]])\p{Mn}+/gv

/** Words without accents and digits, lower case, separated by spaces. */
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
  // ASCII needs none of this, which halves the time.
  const isAscii = ascii.test(text)
  let words = isAscii ? text.slice(0, limit) : withCompatibleForms(text, limit)
  if (mayHaveAlias.test(words)) for (const [pattern, alias] of aliases) words = words.replace(pattern, alias)
  if (/\d\.\d/.test(words)) words = withVersions(words, isQuery)
  words = withPartsOfNames(words.replace(wholeNames, (found) => found.toLowerCase())).toLowerCase()
  words = isAscii ? words.replace(/[^a-z0-9]+/g, ' ') : plainWords(words)
  return words.replace(tooLong, '$1$2').replace(/ {2,}/gu, ' ').trim()
}
