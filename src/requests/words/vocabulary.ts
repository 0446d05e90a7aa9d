import { type RawBuilder, sql } from 'kysely'
import type { Executor, Transaction } from '../../database/open.ts'
import { type Spellings, withVowels } from '../../runtime/text/spellings.ts'
import { isStopWord } from '../../runtime/text/words.ts'

/** The vocabulary counts this many words of a request: the first ones, i.e. title, tags and author. */
const wordsOfRequest = 150
const longestWord = 40

/** The distinct words that the vocabulary counts: by the text alone, so that its deletion can be subtracted. */
export function vocabularyOf(searchText: string): string[] {
  const words = new Set<string>()
  for (const word of searchText.split(/\s+/)) {
    if (word === '' || word.length > longestWord || isStopWord(word)) continue
    words.add(word)
    if (words.size === wordsOfRequest) break
  }
  return [...words]
}

/** A changed searched text: the old and the new one, null if there is none. */
export interface ChangedText {
  before: string | null
  after: string | null
}

/** By how many requests each word's count changes; words without a difference are omitted. */
function countChanges(changes: readonly ChangedText[]): Map<string, number> {
  const difference = new Map<string, number>()
  const add = (text: string | null, amount: number) => {
    if (text === null) return
    for (const word of vocabularyOf(text)) difference.set(word, (difference.get(word) ?? 0) + amount)
  }
  for (const { before, after } of changes) {
    add(before, -1)
    add(after, 1)
  }
  for (const [word, amount] of difference) if (amount === 0) difference.delete(word)
  return difference
}

const rowsOf = (difference: ReadonlyMap<string, number>) => {
  const sorted = [...difference].sort(([a], [b]) => (a < b ? -1 : 1))
  return sql`unnest(${sorted.map(([word]) => word)}::text[], ${sorted.map(([, amount]) => amount)}::int[]) as one (word, change)`
}

/**
 * Records words that counted texts gained or lost, in the transaction that changed them under their locks. Readers add
 * the records, so a word's last use disappears at once. The vocabulary is shared, so it never has a word of unlisted
 * texts only.
 */
export async function noteChangedWords(transaction: Transaction, changes: readonly ChangedText[]): Promise<void> {
  const difference = countChanges(changes)
  if (difference.size === 0) return
  await sql`insert into word_deltas (word, change) select word, change from ${rowsOf(difference)}`.execute(transaction)
}

/**
 * Adds texts and a slice of the recorded changes to the vocabulary, in order: no count drops below zero. Its only
 * writer; needs the lock `vocabulary`.
 * @returns how many recorded changes were added.
 */
export async function addWords(transaction: Transaction, texts: readonly string[], maxNoted: number): Promise<number> {
  const { rows: noted } = await sql<{ word: string; change: number }>`
    delete from word_deltas where id = any(array(select id from word_deltas order by id limit ${maxNoted}))
    returning word, change`.execute(transaction)
  const difference = countChanges(texts.map((text) => ({ before: null, after: text })))
  for (const { word, change } of noted) difference.set(word, (difference.get(word) ?? 0) + change)
  for (const [word, amount] of difference) if (amount === 0) difference.delete(word)
  if (difference.size === 0) return noted.length
  await sql`
    insert into search_words as known (word, requests) select word, change from ${rowsOf(difference)}
    on conflict (word) do update set requests = known.requests + excluded.requests`.execute(transaction)
  const fewer = [...difference].filter(([, amount]) => amount < 0).map(([word]) => word)
  if (fewer.length > 0) {
    await sql`delete from search_words where word = any(${fewer}::text[]) and requests = 0`.execute(transaction)
  }
  return noted.length
}

/** SQL on `search_words`: how many requests have the word, including recorded changes. */
export const exactRequests = sql<number>`(search_words.requests + coalesce((
  select sum(change)::integer from word_deltas where word_deltas.word = search_words.word), 0))`

/** A word of more requests is no slip, whatever its neighbors. */
export const rareRequests = 2

/** How many requests have each counted word; words that none has are omitted. */
export type CountedWords = Readonly<Record<string, number>>

/** How many requests have a word. Safe for words such as `constructor`, which every object inherits. */
export const countOf = (counts: CountedWords, word: string): number => (Object.hasOwn(counts, word) ? counts[word]! : 0)

/** SQL: `CountedWords` of some words, as JSON. */
export const countsOf = (words: readonly string[]): RawBuilder<CountedWords> => sql`(
  select coalesce(json_object_agg(word, requests), '{}') from (
    select word, ${exactRequests} as requests from search_words where word = any(${[...words]}::text[])
  ) as counted where requests > 0)`

/** The recorded changes of a range of words, for a join by `word`. @param range a condition on `word` */
export const notedChanges = (range: RawBuilder<unknown>) => sql`
  (select word, sum(change)::integer as change from word_deltas where ${range} group by word) as noted`

/** The rarest `count` words. Uncounted ones rank as rarest (at the end of long texts), stop words as frequent. */
export async function rarestWords(executor: Executor, words: readonly string[], count: number): Promise<string[]> {
  const { rows } = await sql<{ word: string; requests: number }>`
    select word, requests from search_words where word = any(${[...words]}::text[])`.execute(executor)
  const requestsOf = new Map(rows.map(({ word, requests }) => [word, requests]))
  const frequency = (word: string) => (isStopWord(word) ? Number.POSITIVE_INFINITY : (requestsOf.get(word) ?? 0))
  return [...words].sort((one, other) => Math.sign(frequency(one) - frequency(other)) || 0).slice(0, count)
}

/** How much more frequent than its umlaut spelling a word must be for its `ue` to be two letters. */
const digraphFactor = 50

/** Drops alternative spellings that only look like umlaut variants, such as the name `blu` for the frequent `blue`. */
export async function likelySpellings(executor: Executor, spellings: Spellings): Promise<Spellings> {
  const isWithUmlaut = (word: string, other: string) => withVowels(word) === other
  const doubtful = [...spellings].filter(([word, others]) => others.some((other) => isWithUmlaut(word, other)))
  if (doubtful.length === 0) return spellings
  const { rows } = await sql<{ word: string; requests: number }>`
    select word, requests from search_words where word = any(${doubtful.flat(2)}::text[])`.execute(executor)
  const requestsOf = new Map(rows.map(({ word, requests }) => [word, requests]))
  const isLikely = (word: string, other: string) =>
    (requestsOf.get(word) ?? 0) < digraphFactor * Math.max(1, requestsOf.get(other) ?? 0)
  const likely = ([word, others]: readonly [string, readonly string[]]) =>
    [word, others.filter((other) => !isWithUmlaut(word, other) || isLikely(word, other))] as const
  return new Map([...spellings].map(likely))
}

/** A prefix expands to at most this many words, the most frequent: each costs as much as a typed word. */
const expansionLimit = 8
/** Words read per prefix, in alphabetical order; later ones are ignored. */
const scanLimit = 4_000

/** Sorts after every character of a word. */
export const lastCharacter = '\u{10ffff}'

/** The most frequent words with a prefix, and the prefix. Words with one index entry (`mode`, `modes`) count once. */
export async function expandPrefix(executor: Executor, prefix: string): Promise<string[]> {
  const from = sql`word >= ${prefix}::text and word < ${prefix + lastCharacter}::text`
  const { rows } = await sql<{ word: string }>`
    with frequent as (
      select word, requests from (
        select word, requests from search_words where frequent and ${from} limit ${sql.lit(scanLimit)}
      ) as scanned order by requests desc limit ${sql.lit(expansionLimit * 4)}
    ), others as (
      select word, requests from (
        select word, requests from search_words where ${from} order by word limit ${sql.lit(scanLimit)}
      ) as scanned
      where (select count(*) from frequent) < ${sql.lit(expansionLimit)}
      order by requests desc limit ${sql.lit(expansionLimit * 4)}
    ), known as (
      select word, requests + coalesce(change, 0) as requests from (select * from frequent union select * from others) as listed
      left join ${notedChanges(from)} using (word) where requests + coalesce(change, 0) > 0
    ), stems as (
      select min(word) as word, sum(requests) as requests from known
      group by to_tsvector('wishwell', word)::text
    )
    select word from stems order by requests desc, word limit ${sql.lit(expansionLimit)}`.execute(executor)
  return [...new Set([prefix, ...rows.map((row) => row.word)])]
}
