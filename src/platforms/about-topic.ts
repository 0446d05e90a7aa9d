import { createPauses } from '../runtime/event-loop.ts'
import {
  foldText,
  isRewrittenName,
  normaliseQuery,
  normaliseText,
  unspacedCharacterPattern,
} from '../runtime/text/normalise.ts'
import { hasUmlaut, respelled, stemInOneSpelling, withDigraphs } from '../runtime/text/spellings.ts'
import { beginningOf, stemOf, tellingWords } from '../runtime/text/words.ts'
import { addDiscarded } from './content/items.ts'
import type { FoundRequest, Page, Platform } from './platform.ts'

interface TopicFilterOptions {
  contextIsTopic?: ContextTest | undefined
}

/** Keeps only requests about the topic: platforms also return substrings, near-spellings and comment matches. */
export function filterByTopic(platform: Platform, options: TopicFilterOptions = {}): Platform {
  return {
    ...platform,
    fetchPage: async (request) => {
      const page = await platform.fetchPage(request)
      return page && splitPage(page, request.topic, options)
    },
  }
}

async function splitPage(page: Page, topic: string, options: TopicFilterOptions): Promise<Page> {
  const isAbout = createTopicTest(topic, options)
  const pause = createPauses()
  const requests: FoundRequest[] = []
  const incomplete = [...(page.incomplete ?? [])]
  const offTopic = [...(page.offTopic ?? [])]
  let offTopicCount = 0
  for (const request of page.requests) {
    if (isAbout(request)) requests.push(request)
    // The rest of its text may have the words.
    else if (request.excerpt) incomplete.push(request)
    else {
      offTopic.push(request)
      offTopicCount++
    }
    await pause()
  }
  const discarded = addDiscarded(page.discarded, { offTopic: offTopicCount })
  return { ...page, requests, incomplete, offTopic, discarded }
}

export type ComparedFields = Pick<FoundRequest, 'title' | 'description' | 'tags' | 'sourceName'>

/** Whether a request's source name counts when it is compared with the topic. */
export type ContextTest = (request: Pick<FoundRequest, 'title' | 'description'>) => boolean

export type TopicTest = (request: ComparedFields) => boolean

/** Whether compared texts have the topic's words. */
type TextsTest = (texts: readonly string[]) => boolean

/** Compares as much of each field as the search indexes, in UTF-16 units. */
const limits = { title: 1_000, tags: 4_000, sourceName: 1_000, description: 20_000 }
const pieceLength = 120
/** Cuts a piece without a word boundary here. */
const maxPieceLength = 2_000
/** Above this number of words, most of a topic's words suffice. */
const allWordsLimit = 3
const shareOfWords = 2 / 3

const isUnspacedCharacter = new RegExp(`^${unspacedCharacterPattern}$`, 'u')

/** A stem, or one character of a script without spaces, which texts contain in pairs. */
interface TopicWord {
  text: string
  isCharacter: boolean
  /** A substring of every folded text with the word. */
  sign: string
}

/** One spelling of a topic, and how many of its words a text needs. */
interface TopicForm {
  words: readonly TopicWord[]
  needed: number
}

/**
 * Matches a request whose title, description, tags and source have all topic words, in any order and form as in the
 * search; of more than three words, two thirds. Umlauts may be typed out, spelling British or American. A topic without
 * words, such as an emoji, matches everything.
 * @param contextIsTopic see `PlatformDefinition.contextIsTopic`
 */
export function createTopicTest(
  topic: string,
  { contextIsTopic = () => true }: { contextIsTopic?: ContextTest | undefined } = {},
): TopicTest {
  const written = withDigraphs(topic)
  const test = createTextsTest([topic])
  if (!/[aou]e/i.test(written)) return (request) => test(comparedTexts(request, contextIsTopic(request)))
  const testWritten = createTextsTest([written])
  const testEither = createTextsTest([topic, written])
  return (request) => {
    const texts = comparedTexts(request, contextIsTopic(request))
    if (!texts.some(hasUmlaut)) return testEither(texts)
    return test(texts) || testWritten(texts.map(withDigraphs))
  }
}

function createTextsTest(topics: readonly string[]): TextsTest {
  const forms = topics.flatMap(writtenForms).map(topicForm)
  if (forms.some(({ needed }) => needed === 0)) return () => true
  const words = [...new Map(forms.flatMap((form) => form.words).map((word) => [word.text, word])).values()]
  const isEnough = (found: ReadonlySet<string>) =>
    forms.some((form) => form.words.filter(({ text }) => found.has(text)).length >= form.needed)
  const signedIn = (text: string) => {
    const folded = foldText(text)
    return words.filter(({ sign }) => folded.includes(sign))
  }

  return (texts) => {
    if (!isEnough(new Set(texts.flatMap(signedIn).map(({ text }) => text)))) return false
    const found = new Set<string>()
    for (const piece of texts.flatMap((text) => [...pieces(text)])) {
      const candidates = signedIn(piece).filter(({ text }) => !found.has(text))
      if (candidates.length > 0 && addFound(found, candidates, piece) && isEnough(found)) return true
    }
    return false
  }
}

/** Adds candidates that are words of a text. @returns whether any were */
function addFound(found: Set<string>, candidates: readonly TopicWord[], text: string): boolean {
  const before = found.size
  const normalised = normaliseText(text, text.length)
  const stems = new Set(normalised.split(' ').map(stemInOneSpelling))
  for (const { text: word, isCharacter } of candidates) {
    if (isCharacter ? normalised.includes(word) : stems.has(word)) found.add(word)
  }
  return found.size > before
}

const joinedName = (text: string) => normaliseQuery(text.toLowerCase().replace(/[_\u200c]/g, ''))

/** `darkMode` and `dark_mode` count as one word, `darkmode`, or as two; so does a word with a zero-width non-joiner. */
function writtenForms(topic: string): string[] {
  const joined = joinedName(topic)
  if (normaliseQuery(topic) === joined) return [joined]
  const inParts = topic.split(/\s+/).map((name) => {
    const whole = new Set(joinedName(name).split(' '))
    const words = normaliseQuery(name).split(' ')
    const parts = words.filter((word) => !whole.has(word))
    return (parts.length > 0 ? parts : words).join(' ')
  })
  return [joined, inParts.join(' ')]
}

function topicForm(normalisedTopic: string): TopicForm {
  const words = [
    ...new Map(
      tellingWords(normalisedTopic)
        .map(topicWord)
        .map((word) => [word.text, word]),
    ).values(),
  ]
  const count = words.length
  return { words, needed: count <= allWordsLimit ? count : Math.ceil(count * shareOfWords) }
}

function topicWord(word: string): TopicWord {
  const [sign, other] = [word, respelled(word) ?? word].map((form) => foldText(beginningOf(stemOf(form)))) as [
    string,
    string,
  ]
  const different = [...sign].findIndex((letter, at) => letter !== other[at])
  // The common prefix of all spellings; every text contains "".
  const common = isRewrittenName(word) ? '' : different === -1 ? sign : sign.slice(0, different)
  return { text: stemInOneSpelling(word), isCharacter: isUnspacedCharacter.test(word), sign: common }
}

/** Short fields first, so most descriptions need no normalizing. */
function comparedTexts({ title, tags, sourceName, description }: ComparedFields, withSource: boolean): string[] {
  const source = withSource ? (sourceName ?? '').slice(0, limits.sourceName) : ''
  return [
    `${title.slice(0, limits.title)}\n${tags.join(' ').slice(0, limits.tags)}\n${source}`,
    description.slice(0, limits.description),
  ]
}

function* pieces(text: string): Generator<string> {
  const boundary = /[\s\u3001\u3002\uff0c]/g
  for (let start = 0; start < text.length; ) {
    boundary.lastIndex = start + pieceLength
    const end = Math.min(boundary.exec(text)?.index ?? text.length, start + maxPieceLength)
    yield text.slice(start, end)
    start = end
  }
}
