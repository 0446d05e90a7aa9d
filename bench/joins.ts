import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { type CorpusText, corpora, hasCorpora, readPosts, readTitanium } from '../scripts/wishes/corpora.ts'
import { type CorpusDatabase, openCorpusDatabase } from '../scripts/wishes/corpus-database.ts'
import { detect, wishClassOf } from '../src/requests/detection/detect.ts'
import { createWordCounter } from '../src/wishes/pairs/rarity.ts'
import { placeSlice } from '../src/wishes/placing/placing.ts'
import { writeSection } from './report.ts'

// Places all readable texts of the corpora that count as requests, as the product does, and says how many of the joins people read as right.
//   node bench/joins.ts [--unread FILE] [--suggested FILE] [--write]   the files get the joins that nobody has read, and the first 100 pairs that
//     people are asked, with both texts, as JSON lines

const verdictNames = ['right', 'wrong', 'chore', 'unclear'] as const

interface Verdict {
  one: string
  other: string
  verdict: (typeof verdictNames)[number]
}

const verdictFiles = [
  join(corpora, 'join-verdicts.jsonl'),
  fileURLToPath(new URL('../scripts/wishes/join-verdicts.jsonl', import.meta.url)),
]

/** A pair in any order. */
const keyOf = (one: string, other: string) => [one, other].sort().join(' ')

/** The verdicts of all readers by pair. Ids of texts are `titanium:TIMOB-1`, `reddit:open:1abc`. */
function readVerdicts(): Map<string, Verdict['verdict']> {
  const lines = verdictFiles
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  const verdicts = lines.filter((line) => line !== '').map((line): Verdict => JSON.parse(line))
  return new Map(verdicts.map(({ one, other, verdict }) => [keyOf(one, other), verdict]))
}

/** Only what counts as a request is ever placed. */
function isLikely({ title, description, platform = 'github' }: CorpusText): boolean {
  return wishClassOf(detect({ title, description, platform, tags: [] }).confidence, platform) === 'likely'
}

/** @returns how many requests were placed. */
async function placeAll({ database, searchIndex }: CorpusDatabase): Promise<number> {
  const onError = (error: unknown) => console.error(error)
  const words = createWordCounter()
  let placed = 0
  for (;;) {
    const slice = await placeSlice({ database, searchIndex, words, onError })
    if (slice === null) return placed
    placed += slice.placed
  }
}

/** Each member of a wish with its core, both still likely. */
const readJoins = ({ database }: CorpusDatabase) =>
  database
    .selectFrom('wish_members as member')
    .innerJoin('wish_members as core', (on) =>
      on.onRef('core.wish_id', '=', 'member.wish_id').on('core.is_core', '=', true),
    )
    .innerJoin('requests as one', 'one.id', 'core.request_id')
    .innerJoin('requests as other', 'other.id', 'member.request_id')
    .where('member.is_core', '=', false)
    .where('one.standing', '=', 2)
    .where('other.standing', '=', 2)
    .select(['member.similarity', 'one.platform', 'one.source_id as one', 'other.source_id as other'])
    .orderBy('one.source_id')
    .orderBy('other.source_id')
    .execute()

const maxSuggested = 100

/** The pairs that are asked first. The corpora have no votes, so these are the most similar ones. */
async function readSuggested({ database }: CorpusDatabase) {
  const { rows } = await sql<{ platform: string; one: string; other: string; similarity: number }>`
    select one.platform, one.source_id as one, other.source_id as other, suggestion.similarity from wish_suggestions as suggestion
    join requests as one on one.id = one_id join requests as other on other.id = other_id
    left join wish_members as member on member.request_id = one_id
    left join wish_members as other_member on other_member.request_id = other_id
    where one.standing = 2 and other.standing = 2 and (member.wish_id = other_member.wish_id) is not true
    order by priority desc, suggestion_id limit ${sql.lit(maxSuggested)}`.execute(database)
  return rows
}

const corpusNames: Readonly<Record<string, string>> = { github: 'titanium', reddit: 'Reddit' }
const prefixes: Readonly<Record<string, string>> = { github: 'titanium:', reddit: 'reddit:open:' }

const shownLength = 600
const shown = ({ title, description }: CorpusText) => ({ title, text: description.slice(0, shownLength) })

interface Files {
  unread?: string | undefined
  suggested?: string | undefined
}

async function measure({ unread: unreadFile, suggested: suggestedFile }: Files, isWritten: boolean): Promise<void> {
  const texts = [...readTitanium(), ...readPosts()].filter(isLikely)
  const textOf = new Map(texts.map((text) => [`${prefixes[text.platform!]}${text.id}`, text]))
  const verdicts = readVerdicts()
  const corpus = await openCorpusDatabase()
  try {
    await corpus.store(texts)
    const placed = await placeAll(corpus)
    const joins = (await readJoins(corpus)).map(({ platform, one, other, similarity }) => {
      const [oneId, otherId] = [`${prefixes[platform]}${one}`, `${prefixes[platform]}${other}`]
      return { platform, one: oneId, other: otherId, similarity, verdict: verdicts.get(keyOf(oneId, otherId)) }
    })
    console.log(`${placed} of ${texts.length} likely texts placed`)
    const table = [
      '| likely texts | joins | read | right | wrong | chores | unclear | right of read |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      ...Object.keys(prefixes).map((platform) => {
        const all = texts.filter((text) => text.platform === platform).length
        const some = joins.filter((pair) => pair.platform === platform)
        const counts = verdictNames.map((name) => some.filter(({ verdict }) => verdict === name).length)
        const read = counts.reduce((sum, count) => sum + count, 0)
        const precision = read === 0 ? '' : (counts[0]! / read).toFixed(2).slice(1)
        return `| ${all} of ${corpusNames[platform]} | ${[some.length, read, ...counts, precision].join(' | ')} |`
      }),
    ].join('\n')
    console.log(table)
    if (isWritten) writeSection('joins', table)
    const write = (file: string, pairs: readonly { one: string; other: string; similarity: number | null }[]) => {
      const lines = pairs.map(({ one, other, similarity }) =>
        JSON.stringify({ one, other, similarity, texts: [textOf.get(one)!, textOf.get(other)!].map(shown) }),
      )
      writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
    }
    if (unreadFile !== undefined) {
      write(
        unreadFile,
        joins.filter(({ verdict }) => verdict === undefined),
      )
    }
    if (suggestedFile === undefined) return
    const suggested = (await readSuggested(corpus)).map(({ platform, one, other, similarity }) => ({
      one: `${prefixes[platform]}${one}`,
      other: `${prefixes[platform]}${other}`,
      similarity,
    }))
    write(suggestedFile, suggested)
  } finally {
    await corpus.close()
  }
}

const { values } = parseArgs({
  options: { unread: { type: 'string' }, suggested: { type: 'string' }, write: { type: 'boolean', default: false } },
})
if (hasCorpora) await measure(values, values.write)
else console.error(`skipped: the corpora are not at ${corpora} (set WISHWELL_SHARED to the folder that holds them)`)
