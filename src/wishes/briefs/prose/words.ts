import { stemOf } from '../../../runtime/text/words.ts'

// The words of a sentence that say nothing of what is wanted, those that say too much, and how texts are compared.

/** What stands in a sentence for a piece of it that is proved. */
export const proven = ' ¤ '

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Words by which it is told that somebody asks, and what. */
const telling = wordSet(
  `ask asks asked asking want wants wanted wanting wish wishes wished need needs needed request requests requested requesting
  say says said saying write writes wrote written tell tells told post posts posted describe describes described like likes liked`,
)

/** Words that carry no claim: grammar, and who asks. */
const grammar = wordSet(
  `an the this that these those it its he she they them their his her who which what where when
  and or but as at by for from in into of on to with about so if while also too a
  people person persons user users author authors somebody someone one ones others another`,
)

/** Verbs that say that something is so, unless what is proved or told follows: "has 30 votes", "is wanted". */
const stating = wordSet(
  'is are was were be been being have has had having do does did can could would should may might',
)

/** Relations: what stands before and after them cannot be exchanged. */
const relations = wordSet('to from into onto between over under before after instead than by via')

const negations = wordSet(
  `not no never none nobody nothing neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt hasnt havent
  hardly barely stop stops remove removes removed removing disable disables disabled avoid drop drops against`,
)

/** Words that compare, count, rate or date. Where a text happens to have one, it seldom says what the sentence says by it. */
const claims = wordSet(
  `most more less fewer least many few several all every everyone everybody each both always only just even very
  top best worst better worse highest lowest leading popular urgent urgently important critical major majority minority
  half twice double doubled triple tripled growing grows grew rising falling increasing increasingly decreasing
  recently lately soon now today yesterday tomorrow currently yet still already again ever there here
  will must because therefore since until first last latest former previous next new old`,
)

export interface Token {
  /** In lower case, without apostrophes and accents of typing. */
  word: string
  stem: string
  /** Whether a comma, a full stop or a conjunction of a list stands before it. */
  isApart: boolean
}

const wordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’_+#]*|¤/gu

/** The words of a text, in their order. */
export function tokensOf(text: string): Token[] {
  let end = 0
  return [...text.normalize('NFKC').matchAll(wordPattern)].map((match) => {
    const word = match[0].toLowerCase().replace(/['’](?:s$)?/gu, '')
    const isApart = /[,;:.!?()]/u.test(text.slice(end, match.index))
    end = match.index + match[0].length
    return { word, stem: stemOf(word), isApart }
  })
}

const isProven = ({ word }: Token) => word === proven.trim()
const isPlainWord = (token: Token) =>
  grammar.has(token.word) || telling.has(token.word) || stating.has(token.word) || isProven(token) || token.word === ''
const isRelation = ({ word }: Token) => relations.has(word)
const isNegation = ({ word }: Token) => negations.has(word)
const isClaim = (token: Token) => claims.has(token.word) || isNegation(token)

/** Whether a verb states something by itself: what follows it is neither proved nor told. */
function isStatement(sentence: readonly Token[], at: number): boolean {
  if (!stating.has(sentence[at]!.word)) return false
  const next = sentence.slice(at + 1).find(({ word }) => !stating.has(word))
  return next === undefined || !(isProven(next) || telling.has(next.word))
}

/** How far before a word a negation still turns its meaning. In words. */
const negationReach = 4

/** Whether a text has the words of a sentence from one to another with all that stands between them. */
const hasRun = (text: readonly Token[], run: readonly Token[]): boolean =>
  text.some((_, at) => run.every(({ word }, step) => text[at + step]?.word === word))

/** A claim with what it is about: the words from it to the next one that is told of, or from the last one where none follows. */
function runOf(sentence: readonly Token[], at: number): readonly Token[] {
  const isTold = (token: Token) => !isPlainWord(token) && !isClaim(token)
  const next = sentence.findIndex((token, other) => other > at && isTold(token))
  return next >= 0 ? sentence.slice(at, next + 1) : sentence.slice(sentence.findLastIndex(isTold), at + 1)
}

/**
 * Whether a text has a quotation word for word, and not only what a negation before it turns around.
 * @param quoted a part of it, from a word to a word.
 */
export function isQuotationOf(quoted: string, text: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(quoted)) return false
  for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + quoted.length)]
    const isCut =
      (/[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(quoted)) ||
      (/[\p{L}\p{N}]$/u.test(quoted) && /^[\p{L}\p{N}]/u.test(after))
    if (!isCut && !tokensOf(before).slice(-negationReach).some(isNegation)) return true
  }
  return false
}

/**
 * Whether a text says two words of a sentence in its way: in this order, with the relations that stand between them, and no negation
 * that the sentence has not.
 */
function saysPair(
  text: readonly Token[],
  pair: { one: Token; other: Token; between: readonly Token[] },
  negated: boolean,
): boolean {
  const { one, other, between } = pair
  const isList =
    other.isApart ||
    between.some((token) => token.isApart || isProven(token) || token.word === 'and' || token.word === 'or')
  const kept = between.filter(isRelation)
  return text.some((first, from) => {
    if (first.stem !== one.stem) return false
    return text.some((second, to) => {
      if (second.stem !== other.stem || (!isList && to <= from)) return false
      const [start, end] = [Math.min(from, to), Math.max(from, to)]
      const inside = text.slice(start + 1, end)
      if (!isList && !kept.every(({ word }) => inside.some((token) => token.word === word))) return false
      return negated || !text.slice(Math.max(0, start - negationReach), end).some(isNegation)
    })
  })
}

/**
 * Why the words of a sentence are not proved by texts; null where they are.
 * @param sentence its words, without what was proved otherwise.
 * @param texts the words of each text that it names.
 */
export function faultOfWords(sentence: readonly Token[], texts: readonly (readonly Token[])[]): string | null {
  for (const [at, token] of sentence.entries()) {
    if (!isClaim(token) && !isStatement(sentence, at)) continue
    const run = runOf(sentence, at)
    if (run.length < 2 || !texts.some((text) => hasRun(text, run))) return `claims "${token.word}"`
  }
  const negated = sentence.some(isNegation)
  let before: { token: Token; at: number } | null = null
  for (const [at, token] of sentence.entries()) {
    if (isPlainWord(token)) continue
    if (!texts.some((text) => text.some(({ stem }) => stem === token.stem))) return `says "${token.word}"`
    if (before === null && !texts.some((text) => saysAlone(text, token, negated))) return `turns "${token.word}" around`
    if (before !== null) {
      const pair = { one: before.token, other: token, between: sentence.slice(before.at + 1, at) }
      if (!texts.some((text) => saysPair(text, pair, negated)))
        return `joins "${before.token.word}" and "${token.word}"`
    }
    before = { token, at }
  }
  return null
}

const saysAlone = (text: readonly Token[], { stem }: Token, negated: boolean): boolean =>
  text.some(
    (token, at) =>
      token.stem === stem && (negated || !text.slice(Math.max(0, at - negationReach), at).some(isNegation)),
  )
