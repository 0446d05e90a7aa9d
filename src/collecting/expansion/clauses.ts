import { functionWords, genericWords, plainNouns, singular, templatePhrases } from './words.ts'

// Reduces a text to its author's prose: no code, addresses, file or people's names, logs or numbers.

/** One to three consecutive words that may be a topic. */
interface Phrase {
  /** Its normalized words, separated by spaces. */
  key: string
  written: string
}

const maxPhraseWords = 3
const minWordLength = 3

const isIn = (words: ReadonlySet<string>, { key, written }: Word) => words.has(key) || words.has(written.toLowerCase())
const isEdge = (word: Word) => word.key.length >= 2 && !isIn(functionWords, word) && !isIn(genericWords, word)

/** "drag and drop", "terms of service", "text to speech". */
const joints = new Set(['and', 'of', 'to'])
/** Alone they describe an author's action, not a thing. */
const participle = /[^e]ed$/

function isTopic(words: readonly Word[]): boolean {
  const [first, last] = [words[0]!, words.at(-1)!]
  if (!isEdge(first) || !isEdge(last)) return false
  if (words.length === 1 && (first.key.length < minWordLength || participle.test(first.key))) return false
  if (words.slice(1, -1).some((word) => isIn(functionWords, word) && !joints.has(word.key))) return false
  if (words.some((word) => isIn(genericWords, word))) return false
  if (words.length === 1 && isIn(plainNouns, first)) return false
  if (new Set(words.map(({ key }) => key)).size < words.length) return false
  return !templatePhrases.has(words.map(({ written }) => written.toLowerCase()).join('_'))
}

/** Phrases of a text that may be topics, once per occurrence. */
export function* phrasesOf(clauses: readonly Clause[]): Generator<Phrase> {
  for (const clause of clauses) {
    for (let start = 0; start < clause.length; start++) {
      if (!isEdge(clause[start]!)) continue
      for (let end = start + 1; end <= Math.min(clause.length, start + maxPhraseWords); end++) {
        const words = clause.slice(start, end)
        if (!isTopic(words)) continue
        yield { key: words.map(({ key }) => key).join(' '), written: words.map(({ written }) => written).join(' ') }
      }
    }
  }
}

/** A word as compared and as written. */
export interface Word {
  /** Lower case, singular. */
  key: string
  written: string
}

/** Consecutive words with only spaces or hyphens between. */
export type Clause = Word[]

const blocks = [
  /```[\s\S]*?(?:```|$)/g,
  /~~~[\s\S]*?(?:~~~|$)/g,
  /\{(code|noformat)(?::[^}\n]{0,200})?\}[\s\S]*?(?:\{\1\}|$)/g,
  /<(pre|code|script|style)\b[^>]{0,200}>[\s\S]*?(?:<\/\1>|$)/gi,
]
const spans = [
  /`[^`\n]{1,500}`/g,
  /\{[a-z]+(?::[^}\n]{0,100})?\}/gi,
  /<\/?[a-z][^>\n]{0,200}>/gi,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/gi,
  /\bwww\.\S+/gi,
  /\b[\w.+-]{1,64}@[\w.-]{1,255}/g,
  /(?<![\p{L}\p{N}])@[\w.-]+/gu,
  /(?<![\p{L}\p{N}])\/?[ur]\/[\w-]+/gu,
  /&[a-z]{2,8};|&#\d{1,6};/gi,
]

function isCode(line: string): boolean {
  if (
    /^\s*(?:at\s+[\w$.<>]+\s*\(|\[(?:ERROR|INFO|WARN|DEBUG|TRACE)\]|[VDIWEF]\/[\w.]+\s*\(|\d+[-:/]\d+[-:/]\d+|[$>#]\s)/.test(
      line,
    )
  )
    return true
  if (
    /[;{}]\s*$|^\s*(?:\/\/|\/\*|\*\/|#include|import\s|var\s|let\s|const\s|function\b|return\b|<\?)|=>|\)\s*;|\w\(\)|&&|\|\||==/.test(
      line,
    )
  )
    return true
  const signs = line.match(/[^\p{L}\p{N}\p{M}\s.,'’"!?-]/gu)?.length ?? 0
  return signs * 6 > line.trim().length
}

const breaks = /[.,;:!?()[\]{}"“”„«»|*_#=<>/\\~`^…—–•·+&%$@\n]+|\s[-']+|[-']+\s/u
const wordPattern = /^(?=.*\p{L})[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?$/u
/** Names with digits, not versions, files or variables. */
const namedNumber =
  /^(?:[23]d|[345]g|2fa|u2f|[48]k|oauth2|http[23]|html5|css3|ipv[46]|mp[34]|web[23]|es6|x(?:86|64)|utf8|base64|h26[45]|s3|k8s|i18n|l10n|a11y|ps[345])$/
const wordLimit = 30

/** A word of a phrase; null for a separator. */
function toWord(piece: string): Word | null {
  const written = piece.replace(/['’]s?$/u, '')
  if (written.length > wordLimit || !wordPattern.test(written)) return null
  const lower = written.normalize('NFKC').toLowerCase()
  if (/\p{N}/u.test(lower) && !namedNumber.test(lower)) return null
  return { key: singular(lower.replace(/['’]/gu, '')), written }
}

/** A text's clauses, in order. Linear time; never throws. */
export function clausesOf(text: string): Clause[] {
  let prose = text
  for (const pattern of blocks) prose = prose.replace(pattern, '\n')
  for (const pattern of spans) prose = prose.replace(pattern, ' . ')
  const clauses: Clause[] = []
  for (const line of prose.split(/\r?\n/)) {
    const content = line.replace(/^\s*(?:h[1-6]\.|[-*+•>#]+|\d+[.)])\s*/, '')
    if (content.trim() === '' || isCode(content)) continue
    for (const part of content.split(breaks)) {
      let clause: Clause = []
      for (const piece of part.replace(/(?<=\p{L})-(?=\p{L})/gu, ' ').split(/\s+/)) {
        const word = toWord(piece)
        if (word) clause.push(word)
        else if (clause.length > 0) {
          clauses.push(clause)
          clause = []
        }
      }
      if (clause.length > 0) clauses.push(clause)
    }
  }
  return clauses
}
