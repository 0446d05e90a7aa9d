import type { RequestStatus } from '../../../database/column-types.ts'
import { platformTitle } from '../../../platforms/titles.ts'
import { bounded } from '../../shares/bounded.ts'
import type { BriefDocument, BriefQuote, BriefWish } from '../schemas.ts'
import { quoteId } from '../wish-blocks.ts'
import { leftNumber, proveCounts, proveDates } from './figures.ts'
import { faultOfWords, isQuotationOf, proven, type Token, tokensOf } from './words.ts'

// What a model says of a brief stays only where the brief proves it. A sentence is proved piece by piece: quotations, dates, counts, platforms, authors and
// statuses are taken out of it, each by a rule of its own, and what is left must be the words of the texts that it names.

/** A sentence of a model, with what it names: wishes by their number in the brief, quotations by that and their letter. */
export interface Sentence {
  text: string
  wishes: string[]
  quotes: string[]
}

/** What can be named. */
export interface Sources {
  wishes: ReadonlyMap<string, BriefWish>
  quotes: ReadonlyMap<string, BriefQuote>
}

/** The wishes of a brief by number, those that are done after the others, and their quotations. */
export function sourcesOf({ wishes, settled }: Pick<BriefDocument, 'wishes' | 'settled'>): Sources {
  const named = [...wishes, ...settled].flatMap((wish, at) => (wish === null ? [] : [[String(at + 1), wish] as const]))
  const quotes = named.flatMap(([number, wish]) =>
    wish.quotes.flatMap((quote, at) => (quote === null ? [] : [[quoteId(Number(number), at), quote] as const])),
  )
  return { wishes: new Map(named), quotes: new Map(quotes) }
}

const maxSentence = 400
const quotation =
  /“([^“”]*)”|„([^„“”]*)[“”]|"([^"]*)"|«([^«»]*)»|‹([^‹›]*)›|`([^`]*)`|(?<![\p{L}\p{N}])[‘']([^‘’'"]*(?:['’](?=\p{L})[^‘’'"]*)*)[’'](?![\p{L}\p{N}])/gu
const strayQuotation = /["“”„«»‹›`‘]/u
const markup = /https?:|www\.|[<>[\]{}|*_#\\^~=]/iu

const statusNames: Record<string, readonly RequestStatus[]> = {
  planned: ['planned'],
  'in progress': ['in_progress'],
  completed: ['completed'],
  done: ['completed'],
  shipped: ['completed'],
  released: ['completed'],
  implemented: ['completed'],
  declined: ['declined'],
  rejected: ['declined'],
  open: ['open'],
  closed: ['closed', 'duplicate'],
  duplicate: ['duplicate'],
}
const statusPattern = new RegExp(`\\b(?:${Object.keys(statusNames).join('|')})\\b`, 'giu')

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const wholeWord = (text: string) => new RegExp(`(?<![\\p{L}\\p{N}_])@?${escaped(text)}(?![\\p{L}\\p{N}_])`, 'giu')

/** The names of an author as a brief gives them: a name, a handle, or both. */
const namesOf = ({ author }: BriefQuote): string[] => {
  const [, name, handle] = /^(.*) \(([^()]*)\)$/u.exec(author ?? '') ?? []
  return name === undefined || handle === undefined
    ? author === null
      ? []
      : [author]
    : [`${name} (${handle})`, name, handle]
}

/** All that a sentence names, and what is left of it to prove. */
interface Proof {
  rest: string
  wish: BriefWish | null
  wishes: readonly BriefWish[]
  quotes: readonly BriefQuote[]
  /** The texts that its words may be of. */
  texts: readonly string[]
  /** Whether somebody is named: then all of it is what that person said, and nothing of the wish. */
  isSpoken: boolean
}

type Step = (proof: Proof, sources: Sources) => Proof | string

/** The texts of the quotations of a sentence. */
const quotedIn = (sentence: string): string[] =>
  [...sentence.matchAll(quotation)].map(
    (match) =>
      match
        .slice(1)
        .find((group) => group !== undefined)
        ?.trim() ?? '',
  )

/** Every quotation is literal in a text that is named. */
const proveQuotations: Step = (proof) => {
  const wrong = quotedIn(proof.rest).find((quoted) => !proof.texts.some((text) => isQuotationOf(quoted, text)))
  if (wrong !== undefined) return `quotes "${wrong}"`
  const rest = proof.rest.replace(quotation, proven)
  return strayQuotation.test(rest) ? 'has half a quotation' : { ...proof, rest }
}

/** Who is named wrote the quotations that are named, and the words of the sentence are theirs. */
const proveAuthors: Step = (proof, { wishes, quotes }) => {
  const all = [...quotes.values(), ...[...wishes.values()].flatMap(({ title }) => title ?? [])]
  const words = new Set(proof.texts.flatMap((text) => tokensOf(text).map(({ word }) => word)))
  let { rest } = proof
  const mentioned = new Set<string>()
  for (const quote of all)
    for (const name of namesOf(quote)) {
      // A handle may be a word that the sentence says anyway.
      if (words.has(name.toLowerCase()) && !rest.includes(`@${name}`)) continue
      const without = rest.replace(wholeWord(name), ' ')
      if (without !== rest) mentioned.add(`${quote.platform} ${quote.author}`)
      rest = without
    }
  if (rest.includes('@')) return 'names somebody else'
  if (mentioned.size === 0) return { ...proof, rest }
  const theirs = proof.quotes.filter(({ platform, author }) => mentioned.has(`${platform} ${author}`))
  if (theirs.length !== proof.quotes.length || theirs.length === 0) return 'names who did not say it'
  if (new Set(theirs.map(({ platform, author }) => `${platform} ${author}`)).size > 1) return 'names several people'
  if (proof.wish === null) return 'names somebody for several wishes'
  const titles = [proof.wish.title].filter((title) => title !== null && title.author === theirs[0]!.author)
  const texts = [...theirs, ...titles].map((one) => one!.text)
  return { ...proof, rest, texts, wish: null, isSpoken: true }
}

const proveFigures: Step = (proof) => {
  const counts = proveCounts(proof.rest, proof.wish, platformTitle)
  if (counts.fault !== null) return counts.fault
  const { rest, fault } = proveDates(counts.rest, proof.wish, proof.quotes)
  return fault ?? { ...proof, rest }
}

/** A platform that is named has requests of every wish that is named; where somebody is, it is where that was said. */
const provePlatforms: Step = (proof, { wishes }) => {
  const known = new Set([...wishes.values()].flatMap(({ platforms }) => platforms.map(({ platform }) => platform)))
  let { rest } = proof
  for (const platform of known) {
    const without = rest.replace(wholeWord(platformTitle(platform)), ' ')
    if (without === rest) continue
    const isThere = proof.isSpoken
      ? proof.quotes.every((quote) => quote.platform === platform)
      : proof.wishes.every(({ platforms }) => platforms.some((one) => one.platform === platform))
    if (!isThere) return `places it on ${platform}`
    rest = without
  }
  return { ...proof, rest }
}

/** A status that is named is that of every wish that is named; else it is a word as any other. */
const proveStatuses: Step = (proof) => {
  if (proof.isSpoken) return proof
  const rest = proof.rest.replace(statusPattern, (word) =>
    proof.wishes.every(({ status }) => status !== null && statusNames[word.toLowerCase()]!.includes(status))
      ? proven
      : word,
  )
  return { ...proof, rest }
}

/** A number that is left is one of the texts, with the word beside it. */
function faultOfNumbers(rest: string, texts: readonly (readonly Token[])[]): string | null {
  const left = leftNumber(rest)
  if (left === null) return null
  const tokens = tokensOf(rest)
  const isProved = (at: number) =>
    [
      [at, at + 1],
      [at - 1, at],
    ].some(([from, to]) => {
      const run = tokens.slice(Math.max(0, from!), to! + 1)
      return (
        run.length === 2 &&
        texts.some((text) => text.some((_, start) => run.every(({ word }, step) => text[start + step]?.word === word)))
      )
    })
  const numbers = tokens.flatMap((token, at) => (leftNumber(token.word) === null ? [] : [at]))
  return numbers.length > 0 && numbers.every(isProved) && !rest.includes('%') ? null : `counts ${left}`
}

const steps: readonly Step[] = [proveQuotations, proveAuthors, proveFigures, provePlatforms, proveStatuses]

const distinct = (names: readonly string[]) => [...new Set(names)]

/**
 * Why a sentence of a model is not shown; null where the brief proves it.
 * @returns what is wrong, for logs and tests; without a word of the sentence that is not in quotation marks.
 */
export function faultOf(sentence: Sentence, sources: Sources): string | null {
  const { text } = sentence
  if (text.trim() === '' || text.length > maxSentence || bounded(text, maxSentence).text !== text || markup.test(text))
    return 'is no plain sentence'
  const wishes = distinct(sentence.wishes).map((number) => sources.wishes.get(number))
  const quotes = distinct(sentence.quotes).map((name) => sources.quotes.get(name))
  if (wishes.length === 0 || wishes.includes(undefined) || quotes.includes(undefined))
    return 'names nothing that there is'
  if (!sentence.quotes.every((name) => sentence.wishes.some((number) => name.slice(0, -1) === number)))
    return 'names a quotation of another wish'
  const named = { wishes: wishes as BriefWish[], quotes: quotes as BriefQuote[] }
  const texts = [...named.wishes.flatMap(({ title }) => title?.text ?? []), ...named.quotes.map((quote) => quote.text)]
  let proof: Proof = {
    rest: text,
    wish: named.wishes.length === 1 ? named.wishes[0]! : null,
    ...named,
    texts,
    isSpoken: false,
  }
  for (const step of steps) {
    const next = step(proof, sources)
    if (typeof next === 'string') return next
    proof = { ...next, rest: next.rest.replace(/\s+/gu, ' ') }
  }
  // Where somebody is named, what is quoted is theirs.
  if (!quotedIn(text).every((quoted) => proof.texts.some((one) => isQuotationOf(quoted, one))))
    return 'quotes somebody else'
  const known = proof.texts.map(tokensOf)
  const fault = faultOfNumbers(proof.rest, known)
  if (fault !== null) return fault
  return faultOfWords(tokensOf(proof.rest), known)
}
