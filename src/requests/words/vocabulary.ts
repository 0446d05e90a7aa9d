import { type RawBuilder, sql } from 'kysely'
import type { Executor, Transaction } from '../../database/open.ts'
import { type Spellings, withVowels } from '../../runtime/text/spellings.ts'
import { isStopWord } from '../../runtime/text/words.ts'

/** The vocabulary counts at most this many words of a request: its first ones, so those of the title, tags and author. */
const wordsOfRequest = 150
const longestWord = 40

/**
 * The different words of a searched text that the vocabulary counts. It depends on the text alone, so that what was counted
 * when a text came can be taken back when it goes.
 */
export function vocabularyOf(searchText: string): string[] {
  const words = new Set<string>()
  for (const word of searchText.split(/\s+/)) {
    if (word === '' || word.length > longestWord || isStopWord(word)) continue
    words.add(word)
    if (words.size === wordsOfRequest) break
  }
  return [...words]
}

/** A searched text that was changed: what is counted and what is to be counted; null where there is none. */
export interface ChangedText {
  before: string | null
  after: string | null
}

/** How many more requests have each word after the changes; words without a difference are left out. */
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
 * Notes the words that counted texts gained and lost, in the transaction that changed or deleted them and holds the locks of their requests.
 * Readers add what is noted, so a word that no counted text has any more is gone at once. All accounts share the vocabulary, so it never
 * has a word of an unlisted text only.
 */
export async function noteChangedWords(transaction: Transaction, changes: readonly ChangedText[]): Promise<void> {
  const difference = countChanges(changes)
  if (difference.size === 0) return
  await sql`insert into word_deltas (word, change) select word, change from ${rowsOf(difference)}`.execute(transaction)
}

/**
 * Adds the words of texts and a slice of the noted changes to the vocabulary. The lock `vocabulary` must be held: this is the only writer of the
 * counts. What was noted about a request is added in the order in which it happened, so no count is below zero.
 * @returns how many of the noted changes were added.
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

/** For a query over `search_words`: how many requests have the word, with the noted changes. */
export const exactRequests = sql<number>`(search_words.requests + coalesce((
  select sum(change)::integer from word_deltas where word_deltas.word = search_words.word), 0))`

/** A word that more requests have is no slip, whatever is beside it. */
export const rareRequests = 2

/** How many requests have each of some words among the words that are counted; words that none has are left out. */
export type CountedWords = Readonly<Record<string, number>>

/** How many requests have a word; a word such as `constructor` is no property of every object here. */
export const countOf = (counts: CountedWords, word: string): number => (Object.hasOwn(counts, word) ? counts[word]! : 0)

/** `CountedWords` of some words, as JSON. */
export const countsOf = (words: readonly string[]): RawBuilder<CountedWords> => sql`(
  select coalesce(json_object_agg(word, requests), '{}') from (
    select word, ${exactRequests} as requests from search_words where word = any(${[...words]}::text[])
  ) as counted where requests > 0)`

/** The noted changes of a range of words, for a join by `word`. @param range a condition on `word` */
export const notedChanges = (range: RawBuilder<unknown>) => sql`
  (select word, sum(change)::integer as change from word_deltas where ${range} group by word) as noted`

/**
 * The rarest of some words, by the counts without the noted changes: they change no order that matters. A word that is not counted is among the rarest, as only the end of long texts has it, or none;
 * except stop words, which are not counted because they are everywhere. @param count how many at most
 */
export async function rarestWords(executor: Executor, words: readonly string[], count: number): Promise<string[]> {
  const { rows } = await sql<{ word: string; requests: number }>`
    select word, requests from search_words where word = any(${[...words]}::text[])`.execute(executor)
  const requestsOf = new Map(rows.map(({ word, requests }) => [word, requests]))
  const frequency = (word: string) => (isStopWord(word) ? Number.POSITIVE_INFINITY : (requestsOf.get(word) ?? 0))
  return [...words].sort((one, other) => Math.sign(frequency(one) - frequency(other)) || 0).slice(0, count)
}

/** Who has a key for an umlaut uses it: where a word is this much more frequent than the one with an umlaut, its `ue` is two letters. */
const digraphFactor = 50

/** The other spellings of words without those that only their letters allow, such as `blu`, the name, of the frequent `blue`. */
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

/** A beginning stands for at most this many words, the most frequent: each of them costs as much as one that is typed. */
const expansionLimit = 8
/** At most this many words with a beginning are read; of a beginning with more, those later in the alphabet are not. */
const scanLimit = 4_000

/** After every letter, digit and mark that a word may have. */
export const lastCharacter = '\u{10ffff}'

/**
 * The most frequent words that begin so, and the beginning itself. Words that the index has as one (`mode`, `modes`) count as
 * one.
 */
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
