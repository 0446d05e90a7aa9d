import { fillText } from './forms.ts'
import type { Random } from './random.ts'
import vocabulary from './vocabulary.json' with { type: 'json' }

/** Phrases of `otherRequestPhrases` are in no generated record, but a client may search for them: they narrow, they are not the topic. */
export const { otherRequestPhrases, products, roles, wants, struggles, workarounds, benefits, labels } = vocabulary

type RequestPhrase = keyof typeof vocabulary.openings

/**
 * How people word a wish. Each generated record holds exactly one of these, chosen by its index modulo their number, so
 * that a search for one phrase finds its share and searches for all of them find every record once.
 */
export const requestPhrases = Object.keys(vocabulary.openings) as RequestPhrase[]

/** An invented person; no real account is meant. */
export function inventAuthor(random: Random): { handle: string; name: string; id: number } {
  const first = random.pick(vocabulary.nameStarts) + random.pick(vocabulary.nameEnds)
  const id = random.integer(1_000, 9_999_999)
  return {
    handle: `${first.toLowerCase()}-${id % 10_000}`,
    name: `${first} ${random.pick(vocabulary.familyNames)}`,
    id,
  }
}

/**
 * One sentence that holds the phrase and the topic, so that a search for both finds it. It is worded so that detection takes the
 * record for a likely request on every platform, also where it is the whole text: tests of the service count on that.
 */
export const openingSentence = (phrase: RequestPhrase, topic: string, product: string): string =>
  fillText(vocabulary.openings[phrase], { topic, product })

/** A headline that holds the topic but none of the phrases. */
export function headline(random: Random, topic: string, product: string): string {
  const [want, role] = [random.pick(wants), random.pick(roles)]
  return fillText(random.pick(vocabulary.headlines), { topic, product, want, role })
}
