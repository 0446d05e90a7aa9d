import { withStars } from '../wishes/wish-words.ts'
import { ApiError } from './answers.ts'
import { answerOf, createApi, once } from './api.ts'
import type { Body, Data, Query } from './api-types.ts'
import type { Json } from './client-command.ts'
import { readClientConfig } from './client-config.ts'
import { exitWhenOutputCloses, formatRow, printJson, printLines } from './output.ts'
import { count, printable } from './text.ts'
import { formatOwn } from './wish-lines.ts'

type Suggestion = Data<'listWishSuggestions'>['results'][number]
type Answer = Body<'answerWishSuggestion'>['answer']

const answers: Record<string, Answer> = { s: 'same', n: 'not_the_same', k: 'skip' }
const lastKeys = '[u] undo the last  [q] quit'
const keys = `[s] same  [n] not the same  [k] skip  ${lastKeys}`
const outcomes: Record<Answer, string> = {
  same: 'They are one wish now.',
  not_the_same: 'They stay apart.',
  skip: 'Not asked again.',
}

const reasons: Record<Suggestion['reasons']['for' | 'against'][number]['kind'], string> = {
  same_words: 'both say',
  same_text: 'nearly the same text',
  opposed: 'opposed',
  numbers: 'numbers',
  words: 'only one says',
  product: 'other products',
}

const formatReasons = (some: Suggestion['reasons']['for' | 'against']): string =>
  some
    .map(({ kind, words }) => [reasons[kind], ...(words.length > 0 ? [printable(words.join(', '))] : [])].join(': '))
    .join('; ')

const formatWish = ({ topRequest, requestCount, ...wish }: Suggestion['wishes'][number]) => [
  `  ${formatRow({
    title: wish.title,
    facts: [
      withStars(count(wish.votes, 'vote'), topRequest.stars, requestCount),
      count(requestCount, 'request'),
      formatOwn(wish.own),
      wish.product ?? wish.platforms.join(', '),
      wish.status ?? '',
    ],
    id: null,
  })}`,
  `    ${printable(topRequest.description.split('\n', 1)[0]!.slice(0, 160))}`,
  `    ${printable(topRequest.sourceUrl)}`,
]

/** A pair, as the question to a person. */
export const formatSuggestion = ({ wishes, reasons: { for: pro, against } }: Suggestion): string[] => [
  '',
  ...wishes.flatMap(formatWish),
  ...(pro.length === 0 ? [] : [`  for: ${formatReasons(pro)}`]),
  ...(against.length === 0 ? [] : [`  against: ${formatReasons(against)}`]),
]

/** Single keys: immediately from a terminal, else the input's letters. Ends with the input, or Ctrl-C. */
async function* readKeys(input: NodeJS.ReadStream): AsyncGenerator<string> {
  const isTerminal = input.isTTY === true
  if (isTerminal) input.setRawMode(true)
  try {
    for await (const chunk of input.setEncoding('utf8')) {
      for (const key of String(chunk).toLowerCase()) {
        if (key === '\x03' || key === '\x04') return
        if (/\S/.test(key)) yield key
      }
    }
  } finally {
    if (isTerminal) input.setRawMode(false)
  }
}

type ReviewOptions = Pick<Query<'listWishSuggestions'>, 'topic' | 'product'> & Json

/** `wishwell wishes review`: one pair after another, answered by single keys. */
export async function review({ json, ...query }: ReviewOptions): Promise<void> {
  exitWhenOutputCloses()
  const api = createApi(readClientConfig())
  const read = (more: Partial<Query<'listWishSuggestions'>> = {}) =>
    answerOf(api.GET('/api/v1/suggestions/wishes', { params: { query: { ...query, ...more } } }))
  if (json) return printJson(await read())
  /** Reads the next pair. A page may be empty if its pairs were settled meanwhile. */
  const readNext = async (): Promise<Suggestion | undefined> => {
    let { data } = await read({ limit: 1 })
    while (data.results.length === 0 && data.cursor !== null) ({ data } = await read({ limit: 1, cursor: data.cursor }))
    return data.results[0]
  }
  const input = readKeys(process.stdin)
  const made: string[] = []
  const answerPair = async ({ suggestionId }: Suggestion, answer: Answer) => {
    const params = { path: { suggestionId }, header: once() }
    const { data } = await answerOf(api.POST('/api/v1/suggestions/wishes/{suggestionId}', { params, body: { answer } }))
    made.push(data.correctionId)
    printLines([outcomes[answer]])
  }
  const undoLast = async () => {
    const correctionId = made.pop()
    if (correctionId === undefined) return printLines(['Nothing to undo.'])
    const params = { path: { correctionId } }
    await answerOf(api.DELETE('/api/v1/corrections/wishes/{correctionId}', { params }))
    printLines(['Undone.'])
  }
  for (;;) {
    // Reread, because an answer may have settled other pairs, too.
    const pair = await readNext()
    printLines(pair === undefined ? ['No pair is left.'] : formatSuggestion(pair))
    if (pair === undefined && made.length === 0) break
    printLines([pair === undefined ? lastKeys : keys])
    const key = (await input.next()).value
    if (key === undefined || key === 'q') break
    try {
      if (key === 'u') await undoLast()
      else if (pair !== undefined && answers[key] !== undefined) await answerPair(pair, answers[key])
    } catch (error) {
      // The pair may have been answered, or compared again, meanwhile.
      if (!(error instanceof ApiError && (error.code === 'NOT_FOUND' || error.code === 'CONFLICT'))) throw error
      printLines([error.message])
    }
  }
  await input.return(undefined)
  printLines([
    `${count(made.length, 'answer')}. Undo one later with: wishwell wishes corrections, wishwell wishes undo`,
  ])
}
