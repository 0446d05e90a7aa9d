import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, mostFirst, votes } from '../finding.ts'
import { canonicalText } from '../query.ts'
import { otherRequestPhrases, requestPhrases } from '../vocabulary.ts'
import type { LemmyVersion } from './lemmy-item.ts'

/** Each is an instance of its own below the platform's address, with a version of its own. */
export const versions: Record<string, LemmyVersion> = { orchard: '0.19', pebble: '0.18', thicket: '1.0' }
export const instanceNames = Object.keys(versions)

const phrases = [...requestPhrases, ...otherRequestPhrases].map((phrase) => phrase.toLowerCase())

/** Lemmy knows no phrases; a client that begins or ends with one wishes about the other words. */
function topicOf(q: string): string {
  const text = canonicalText(q)
  const before = phrases.find((candidate) => text.startsWith(`${candidate} `))
  if (before !== undefined) return text.slice(before.length).trim()
  const after = phrases.find((candidate) => text.endsWith(` ${candidate}`)) ?? ''
  return text.slice(0, text.length - after.length).trim()
}

/** One pattern over title or body, in whatever case: a space stands for anything in between. */
function matches(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  let end = 0
  return words.every((word) => {
    const start = lower.indexOf(word, end)
    end = start + word.length
    return start >= 0
  })
}

export const orders: Record<string, (record: CorpusRecord) => number> = {
  Active: created,
  New: created,
  Old: (record) => -created(record),
  TopAll: votes,
  new: created,
  top: votes,
}

/** `instance` stands in the path of a request, and among the parameters of an expectation; without it all are meant. */
export function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const q = parameters.get('q') ?? parameters.get('search_term') ?? ''
  const instance = parameters.get('instance')
  const words = q.toLowerCase().split(' ')
  if (!['All', 'Posts', 'all'].includes(parameters.get('type_') ?? 'All')) return []
  return (instance === null ? instanceNames : [instance]).flatMap((name) =>
    corpus
      .records(`lemmy/${name}`, topicOf(q))
      .filter((record) => record.isFoundByAnyWords || matches(record.title, words) || matches(record.body ?? '', words))
      .sort(mostFirst(orders[parameters.get('sort') ?? 'Active']!)),
  )
}
