import { askingWords } from '../../runtime/text/asking.ts'
import { stemOf } from '../../runtime/text/words.ts'
import type { ComparedText } from './compared-text.ts'
import { areOpposed, hasSynonyms, isNumber, isOfPlatforms, type Subject, sidesOf, type TitleWord } from './subject.ts'

/** Title words for wanting, not for what is wanted. */
const generic: ReadonlySet<string> = new Set(
  [
    ...askingWords,
    ...'change create creating method proper properly property question quick set setting thing thought user work'.split(
      ' ',
    ),
  ].map(stemOf),
)

/** Texts with fewer words are too easily the same. */
const minWords = 5
const sameShare = 0.8

function describedBy({ counts, title }: ComparedText): Map<string, number> {
  const rest = new Map(counts)
  for (const stem of title) rest.set(stem, rest.get(stem)! - 1)
  return rest
}

const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0)
const sizeOf = (words: ReadonlyMap<string, number>) => sum([...words.values()])

/** Whether neither description adds anything: nearly the same words, or hardly any. */
export const addNothing = (one: ComparedText, other: ComparedText): boolean =>
  haveSameText(one, other) || sayNothing(one, other)

const sayNothing = (one: ComparedText, other: ComparedText): boolean =>
  Math.max(sizeOf(describedBy(one)), sizeOf(describedBy(other))) < minWords

/** Whether two descriptions have nearly the same words, i.e. one is a copy. */
function haveSameText(one: ComparedText, other: ComparedText): boolean {
  const [a, b] = [describedBy(one), describedBy(other)]
  const shared = sum([...a].map(([stem, count]) => Math.min(count, b.get(stem) ?? 0)))
  const [size, otherSize] = [sizeOf(a), sizeOf(b)]
  return Math.min(size, otherSize) >= minWords && 2 * shared >= sameShare * (size + otherSize)
}

/** Whether a title has a word, also split or as part of another. */
const names = (subject: Subject, { stem, plain, joined }: TitleWord): boolean =>
  subject.stems.has(stem) ||
  subject.joined.has(plain) ||
  joined.some((form) => subject.plain.has(form) || subject.joined.has(form))

const sidesOfWord = ({ stem, joined }: TitleWord) => [stem, ...joined].flatMap(sidesOf)
const isPlatform = (word: TitleWord) => sidesOfWord(word).some(isOfPlatforms)

/** Whether a title has a word or a synonym. Platform versions are compared as numbers. */
const means = (subject: Subject, word: TitleWord): boolean =>
  names(subject, word) ||
  (!isNumber(word.stem) && sidesOfWord(word).some((side) => hasSynonyms(side) && subject.sides.has(side)))

/** Words that a title repeats immediately. */
const doubledIn = ({ body }: Subject): string[] =>
  body.flatMap(({ stem }, index) => (stem === body[index - 1]?.stem ? [stem] : []))

/** Whether only one title doubles a word: Calendar.Calendar is a part of Calendar. */
const doublesMore = (one: Subject, other: Subject) => {
  const doubled = doubledIn(one)
  return doubled.length > 0 && doubled.some((stem) => !doubledIn(other).includes(stem))
}

const namesTheirProduct = (one: Subject, other: Subject, { plain }: TitleWord) =>
  one.names.has(plain) || other.names.has(plain)

/** Verbs whose meaning depends on the order of objects: move A to B. */
const directed: ReadonlySet<string> = new Set(
  'change convert migrate move port rename replace switch'.split(' ').map(stemOf),
)

/** Whether both titles are directed (A becomes B, from A to B) with their words in another order. */
function areReversed(one: Subject, other: Subject): boolean {
  const isDirected = ({ body, relations }: Subject) =>
    relations.split(' ').includes('from') || body.some(({ stem }) => directed.has(stem))
  if (!isDirected(one) || !isDirected(other)) return false
  const sharedIn = (some: Subject, others: Subject) =>
    some.body.filter(({ stem }) => others.stems.has(stem)).map(({ stem }) => stem)
  return sharedIn(one, other).join(' ') !== sharedIn(other, one).join(' ')
}

function aloneIn(one: Subject, other: Subject) {
  const isAlone = (word: TitleWord) => !means(other, word) && !namesTheirProduct(one, other, word)
  const labels = one.labels.filter((word) => !isNumber(word.stem) && isAlone(word))
  const body = one.body.filter(isAlone)
  return {
    // A version in a label says since when: `Android 5.0: …`.
    part: labels.length > 0 || body.some(isPlatform),
    component: labels.some((word) => !isPlatform(word)),
    platform: body.some(isPlatform),
    number: body.some(({ stem }) => isNumber(stem)),
    anyNumber: [...one.labels, ...one.body].some((word) => /\p{N}/u.test(word.stem) && !names(other, word)),
    subject:
      body.some((word) => !isNumber(word.stem) && !generic.has(word.stem) && !isPlatform(word)) ||
      doublesMore(one, other),
  }
}

/** With fewer telling words in common, equal titles say little: "Suggestions", "A quick question". */
const minShared = 2
const countShared = (one: Subject, other: Subject): number => {
  const shared = [...one.labels, ...one.body].filter(
    (word) => !generic.has(word.stem) && means(other, word) && !namesTheirProduct(one, other, word),
  )
  return new Set(shared.map(({ stem }) => stem)).size
}

const halves = (one: boolean, other: boolean) => (Number(one) + Number(other)) / 2

/** 0 without a conflict, 0.5 if only one title makes it, 1 if both do. */
interface Conflicts {
  /** Different sides of a choice: iOS and Android, add and remove. */
  opposed: number
  numbers: number
  parts: number
  /** A telling word, or hardly one in common. */
  subjects: number
}

function compareSubjects(a: Subject, b: Subject) {
  const [ofOne, ofOther] = [aloneIn(a, b), aloneIn(b, a)]
  return {
    isOpposed: areOpposed(a.sides, b.sides),
    numbers: ofOne.anyNumber && ofOther.anyNumber ? 1 : halves(ofOne.number, ofOther.number),
    parts: halves(ofOne.part, ofOther.part),
    // A copy with the platform in front is no other part. Copied tickets per component or ending in a platform are.
    isPartOfCopy: [ofOne, ofOther].every(({ component, platform }) => !component && !platform),
    subjects: areReversed(a, b) ? 1 : halves(ofOne.subject, ofOther.subject),
  }
}

/** Recurring work of each release or week. */
const repeated: ReadonlySet<string> = new Set(
  'bump daily monthly publish push release stage update upgrade weekly'.split(' ').map(stemOf),
)

/** Whether two requests without more to say name a recurring job or end in tasks: then each is a separate ticket. */
function isRepeated(one: ComparedText, other: ComparedText): boolean {
  const { body } = one.subject
  return (repeated.has(body[0]?.stem ?? '') || body.at(-1)?.stem === 'task') && sayNothing(one, other)
}

/** In what two requests differ, however similar they are otherwise. */
export function conflictsOf(one: ComparedText, other: ComparedText): Conflicts {
  const [a, b] = [one.subject, other.subject]
  const { isOpposed, numbers, parts, isPartOfCopy, subjects } = compareSubjects(a, b)
  const sayLittle = () => Math.max(countShared(a, b), countShared(b, a)) < minShared
  return {
    opposed: isOpposed ? 1 : 0,
    numbers,
    parts: parts === 0.5 && isPartOfCopy && haveSameText(one, other) ? 0 : parts,
    subjects: subjects === 0 && (isRepeated(one, other) || (sayLittle() && !haveSameText(one, other))) ? 0.5 : subjects,
  }
}

/** Whether titles differ in a telling word over nearly the same text: tickets copied for each part. */
export const areSiblings = (one: ComparedText, other: ComparedText): boolean =>
  compareSubjects(one.subject, other.subject).subjects > 0 && haveSameText(one, other)

/** The words that two titles share and those by which they differ, as written, each once. */
export function wordsOfTitles(one: ComparedText, other: ComparedText) {
  const [a, b] = [one.subject, other.subject]
  const wordsOf = ({ labels, body }: Subject) => [...labels, ...body]
  const distinct = (words: readonly TitleWord[]) => [...new Set(words.map(({ plain }) => plain))]
  const shared = wordsOf(a).filter((word) => !generic.has(word.stem) && means(b, word))
  const alone = [aloneWords(a, b), aloneWords(b, a)]
  const numbers = alone.flatMap((words) => words.filter(({ stem }) => isNumber(stem)))
  const others = alone.flatMap((words) => words.filter(({ stem }) => !isNumber(stem) && !generic.has(stem)))
  return {
    shared: distinct(shared),
    numbers: distinct(numbers),
    others: distinct(others),
    isOpposed: areOpposed(a.sides, b.sides),
    hasSameText: haveSameText(one, other),
  }
}

const aloneWords = (one: Subject, other: Subject) =>
  [...one.labels, ...one.body].filter((word) => !means(other, word) && !namesTheirProduct(one, other, word))
