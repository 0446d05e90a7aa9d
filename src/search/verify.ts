import { sql } from 'kysely'
import { standings } from '../database/column-types.ts'
import type { Database, DatabaseBackend, Executor } from '../database/open.ts'
import { vocabularyOf } from '../requests/words/vocabulary.ts'
import type { Verified, VerifyOptions, WrongNumber } from '../requests/wrong-number.ts'

const maxTexts = 500
const maxWords = 5_000
/** Words counted per pass, about 60 MB; a larger vocabulary takes several passes over the texts. */
const maxCountedWords = 500_000
/** Recounts of words that keep changing. */
const maxRounds = 4
const firstId = '00000000-0000-0000-0000-000000000000'

/** The vocabulary's numbers by word as readers see them, including what is not yet folded in. */
const storedWords = sql`(
  select word, sum(requests)::int as requests from (
    select word, requests from search_words union all select word, change from word_deltas
  ) as part group by word having sum(requests) <> 0
) as stored`

type IsCounted = (word: string) => boolean

/** An evenly distributed hash (FNV-1a, 32 bits). */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** How many counted texts have each word. */
async function countWords(executor: Executor, isCounted: IsCounted, { signal }: VerifyOptions) {
  const counts = new Map<string, number>()
  for (let after = firstId; ; ) {
    signal?.throwIfAborted()
    const { rows } = await sql<{ id: string; text: string | null }>`
      select page.id, case when standing >= ${sql.lit(standings.unlikely)} and uncounted.request_id is null then text end as text
      from (select id, standing from requests where id > ${after} order by id limit ${sql.lit(maxTexts)}) as page
        left join request_texts on request_texts.request_id = page.id
        left join uncounted_texts as uncounted on uncounted.request_id = page.id
      order by page.id`.execute(executor)
    for (const { text } of rows) {
      for (const word of text === null ? [] : vocabularyOf(text)) {
        if (isCounted(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
      }
    }
    const last = rows.at(-1)
    if (last === undefined) return counts
    after = last.id
  }
}

/** The vocabulary's numbers of a pass's words. */
async function readWords(executor: Executor, isCounted: IsCounted, { signal }: VerifyOptions) {
  const words = new Map<string, number>()
  for (let after = ''; ; ) {
    signal?.throwIfAborted()
    const { rows } = await sql<{ word: string; requests: number }>`
      select word, requests from ${storedWords} where word > ${after} order by word limit ${sql.lit(maxWords)}`.execute(
      executor,
    )
    for (const { word, requests } of rows) if (isCounted(word)) words.set(word, requests)
    const last = rows.at(-1)
    if (last === undefined) return words
    after = last.word
  }
}

interface Comparison {
  wrong: Map<string, [stored: number, counted: number]>
  changed: Set<string>
}

const different = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): string[] => [
  ...[...one].filter(([word, requests]) => requests !== (other.get(word) ?? 0)).map(([word]) => word),
  ...[...other].filter(([word, requests]) => requests !== 0 && !one.has(word)).map(([word]) => word),
]

async function comparePass(executor: Executor, isCounted: IsCounted, options: VerifyOptions): Promise<Comparison> {
  const before = await readWords(executor, isCounted, options)
  const counted = await countWords(executor, isCounted, options)
  const stored = await readWords(executor, isCounted, options)
  const pairs = different(stored, counted).map((word): [string, [number, number]] => [
    word,
    [stored.get(word) ?? 0, counted.get(word) ?? 0],
  ])
  return { wrong: new Map(pairs), changed: new Set(different(before, stored)) }
}

const isEqual = (one: readonly number[] | undefined, other: readonly number[]) =>
  one?.every((value, index) => value === other[index]) ?? false

/**
 * Recounts differing words while others write. A word is wrong if it differs by the same amount twice while its stored
 * number stood still; one that changes each time cannot be judged.
 */
async function confirm(database: Database, first: Comparison, options: VerifyOptions) {
  const confirmed: Comparison['wrong'] = new Map()
  let open = first
  for (let round = 1; round < maxRounds && open.wrong.size > 0; round++) {
    const words = new Set(open.wrong.keys())
    const next = await comparePass(database, (word) => words.has(word), options)
    for (const [word, pair] of next.wrong) {
      const isStill = !open.changed.has(word) && !next.changed.has(word)
      if (!isStill || !isEqual(open.wrong.get(word), pair)) continue
      confirmed.set(word, pair)
      next.wrong.delete(word)
    }
    open = next
  }
  return { confirmed, unchecked: open.wrong.size }
}

const toWrongNumbers = (wrong: Comparison['wrong']): WrongNumber[] =>
  [...wrong].map(([word, [stored, counted]]) => {
    return { subject: `word ${word}`, check: 'requests', stored: String(stored), expected: String(counted) }
  })

/** The words of each pass; one pass unless the vocabulary is large. */
async function passesOf(executor: Executor, maxInPass: number): Promise<IsCounted[]> {
  const { rows } = await sql<{ words: number }>`select count(*)::int as words from search_words`.execute(executor)
  const passes = Math.max(1, Math.ceil(rows[0]!.words / maxInPass))
  return Array.from({ length: passes }, (_, pass) => (word) => hashOf(word) % passes === pass)
}

export interface VocabularyOptions extends VerifyOptions {
  backend: DatabaseBackend
  maxInPass?: number
}

/**
 * Recounts the words of all texts and compares them with the vocabulary, on Postgres in one snapshot. Embedded, a
 * snapshot would hold the only connection, so differences are recounted until they can be judged.
 */
export async function verifyVocabulary(database: Database, options: VocabularyOptions): Promise<Verified> {
  const { backend, limit, maxInPass = maxCountedWords } = options
  const found: Verified = { wrong: [], unchecked: 0 }
  const verify = async (executor: Executor) => {
    for (const isCounted of await passesOf(executor, maxInPass)) {
      if (found.wrong.length >= limit) break
      const compared = await comparePass(executor, isCounted, options)
      const isSnapshot = backend === 'postgres'
      const judged = isSnapshot
        ? { confirmed: compared.wrong, unchecked: 0 }
        : await confirm(database, compared, options)
      found.wrong.push(...toWrongNumbers(judged.confirmed))
      found.unchecked += judged.unchecked
    }
  }
  if (backend === 'embedded') await verify(database)
  else await database.transaction().setIsolationLevel('repeatable read').execute(verify)
  return { ...found, wrong: found.wrong.slice(0, limit) }
}
