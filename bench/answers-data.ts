import { createRandom } from '../simulator/random.ts'
import type { Database } from '../src/database/open.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import { foundRequest } from '../test/scripted-platform.ts'

// Posts for bench/answers.ts and bench/first-search.ts: made-up words, as often as words are in English (Zipf's law), so that they
// compress about as well.

const random = createRandom(4680)
const letters = 'etaoinshrdlucmfwypvbgk'
const words = Array.from({ length: 4_000 }, (_, rank) =>
  Array.from({ length: 2 + Math.floor(Math.log2(rank + 2) / 2) + random.integer(0, 2) }, () =>
    letters.charAt(Math.floor(random.next() ** 2 * letters.length)),
  ).join(''),
)
const word = () => words[Math.floor(words.length ** random.next()) - 1]!

/** The topic comes so often that long posts are among the best matches. */
function textOf(topic: string, length: number, separator: string): string {
  let text = ''
  while (text.length < length)
    text += `${random.next() < 0.1 ? topic : word()}${random.next() < 0.08 ? '.\n"' : separator}`
  return text.slice(0, length)
}

/** Stores a post of each length, in characters of its description, as a page of a scrape does. */
export async function storePosts(
  database: Database,
  topic: string,
  lengths: readonly number[],
  separator = ' ',
): Promise<void> {
  const step = 100
  for (let from = 0; from < lengths.length; from += step) {
    const posts = lengths.slice(from, from + step).map((length, index) =>
      foundRequest(`${topic} ${from + index}`, {
        title: `Please add ${topic}, ${word()} ${word()} ${from + index}`,
        description: textOf(topic, length, separator),
        votes: random.integer(0, 900),
      }),
    )
    const page = {
      ...(await preparePage('github', { requests: posts }, null)),
      platform: 'github' as const,
      topic,
      jobId: null,
      markSeenBefore: null,
    }
    await storePageAlone(database, { ...page, now: new Date() })
  }
}

/** Most are short, a few have 60,000 characters, as on the platforms. */
export const usualLengths = (amount: number): number[] =>
  Array.from({ length: amount }, () => Math.round(60 * 1_000 ** (random.next() ** 1.5)))
