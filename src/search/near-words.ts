import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { lastCharacter, notedChanges } from '../requests/words/vocabulary.ts'
import { slipsBetween } from '../runtime/text/slips.ts'

const comparedWords = 2_000

const alphabets = [
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяіє',
  'αβγδεζηθικλμνξοπρστυφχψω',
]

/** Whether a word's letters are of one alphabet in which slips can be searched. */
export const isOfOneAlphabet = (word: string): boolean =>
  alphabets.some((alphabet) => [...word].every((one) => alphabet.includes(one)))

/** Every text one slip away: a letter missing, doubled, added or changed, or two swapped. */
export function neighboursOf(word: string): string[] {
  const characters = [...word]
  const letters = alphabets.find((alphabet) => characters.some((one) => alphabet.includes(one))) ?? ''
  const neighbours = new Set<string>()
  for (let index = 0; index <= characters.length; index++) {
    const before = characters.slice(0, index).join('')
    const [here = '', next = ''] = characters.slice(index, index + 2)
    const after = characters.slice(index + 1).join('')
    neighbours.add(before + after)
    neighbours.add(before + next + here + characters.slice(index + 2).join(''))
    for (const letter of letters) {
      neighbours.add(before + letter + here + after)
      if (here !== '') neighbours.add(before + letter + after)
    }
  }
  neighbours.delete(word)
  return [...neighbours]
}

const forgivenSlips = 2

interface KnownWord {
  word: string
  requests: number
}

/** Known words with the same first three letters and similar length, most frequent first. */
async function readBeginningAlike(executor: Executor, word: string): Promise<KnownWord[]> {
  const beginning = [...word].slice(0, 3).join('')
  const { length } = [...word]
  const isAlike = sql`word >= ${beginning}::text and word < ${beginning + lastCharacter}::text`
  const { rows } = await sql<KnownWord>`
    select word, requests + coalesce(change, 0) as requests from (
      select word, requests from search_words where ${isAlike}
      and length(word) between ${length - 2} and ${length + 2} limit ${sql.lit(comparedWords)}
    ) as scanned left join ${notedChanges(isAlike)} using (word)
    where requests + coalesce(change, 0) > 0 order by requests desc, word`.execute(executor)
  return rows
}

/** The most frequent word two slips away, among those that start alike. */
export async function wordAtTwoSlips(executor: Executor, word: string): Promise<string | null> {
  const alike = await readBeginningAlike(executor, word)
  return alike.find((other) => other.word !== word && slipsBetween(word, other.word) <= forgivenSlips)?.word ?? null
}
