import { seededRandom } from '../scripts/detection/random.ts'
import { type CorpusText, corpora, hasCorpora, readPosts, readTitanium } from '../scripts/wishes/corpora.ts'
import { openCorpusDatabase } from '../scripts/wishes/corpus-database.ts'
import { detect, wishClassOf } from '../src/requests/detection/detect.ts'
import { createWordCounter } from '../src/wishes/pairs/rarity.ts'
import { placeSlice } from '../src/wishes/placing/placing.ts'

const shownLength = 600

/** Only what counts as a request is ever placed. */
const isLikely = ({ title, description }: CorpusText, platform: string) =>
  wishClassOf(detect({ title, description, platform, tags: [] }).confidence, platform) === 'likely'

/**
 * Places all readable texts that count as requests, and prints random joins with both texts, one JSON object a line, for people who say
 * whether both ask for the same.
 */
export async function sampleJoins(count: number, seed: number): Promise<void> {
  if (!hasCorpora) return console.error(`skipped: the corpora are not at ${corpora}`)
  const texts = [
    ...readTitanium().filter((text) => isLikely(text, 'github')),
    ...readPosts().filter((text) => isLikely(text, 'reddit')),
  ]
  const corpus = await openCorpusDatabase()
  const { database, searchIndex } = corpus
  try {
    await corpus.store(texts)
    const onError = (error: unknown) => console.error(error)
    const words = createWordCounter()
    let [placed, joined] = [0, 0]
    for (;;) {
      const slice = await placeSlice({ database, searchIndex, words, onError })
      if (slice === null) break
      placed += slice.placed
      joined += slice.joined
    }
    console.error(`${placed} placed, ${joined} joined`)
    const joins = await database
      .selectFrom('wish_members as member')
      .innerJoin('wish_members as core', (join) =>
        join.onRef('core.wish_id', '=', 'member.wish_id').on('core.is_core', '=', true),
      )
      .innerJoin('requests as one', 'one.id', 'core.request_id')
      .innerJoin('requests as other', 'other.id', 'member.request_id')
      .where('member.is_core', '=', false)
      .select(['one.source_id as id', 'one.title as title', 'one.description as text', 'member.similarity'])
      .select(['other.source_id as otherId', 'other.title as otherTitle', 'other.description as otherText'])
      .orderBy('one.source_id')
      .orderBy('other.source_id')
      .execute()
    const random = seededRandom(seed)
    const drawn = joins
      .map((join) => ({ join, order: random() }))
      .sort((a, b) => a.order - b.order)
      .slice(0, count)
    for (const { join } of drawn) {
      const { similarity, text, otherText, ...rest } = join
      const shown = { ...rest, text: text.slice(0, shownLength), otherText: otherText.slice(0, shownLength) }
      console.log(JSON.stringify({ similarity: similarity?.toFixed(3), ...shown }))
    }
  } finally {
    await corpus.close()
  }
}
