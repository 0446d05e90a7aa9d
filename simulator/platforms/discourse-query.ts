import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, votes } from '../finding.ts'
import { canonicalText } from '../query.ts'
import { category, topicTags } from './discourse-item.ts'

/** Each is a forum of its own below the platform's address; the last one is of a new version, with the voting plugin. */
export const forumNames = ['harbour', 'meadow', 'quarry'] as const

interface Reading {
  words: string[]
  filters: Array<(record: CorpusRecord) => boolean>
  order: string | null
}

/** Reads a search as Discourse does: quotes are taken off before a word is looked at, and an unknown filter is a word. */
export function readSearch(q: string): Reading {
  const reading: Reading = { words: [], filters: [], order: null }
  for (const word of q.split(/\s+/).filter(Boolean)) {
    const bare = word.replace(/["']/g, '').toLowerCase()
    const [, name = '', value = ''] = /^(order|after|tags?|category|in|status):(.+)$/.exec(bare) ?? []
    if (name === 'order') reading.order = value
    else if (name === 'after') reading.filters.push((record) => record.createdAt > new Date(`${value}T00:00:00Z`))
    else if (name.startsWith('tag')) reading.filters.push((record) => hasTag(record, value.split(',')))
    else if (name === 'category') reading.filters.push(() => [`${category.id}`, category.slug].includes(value))
    else if (name !== '' || bare === 'f') reading.filters.push(() => true)
    else if (bare.startsWith('#')) reading.filters.push((record) => isUnder(record, bare.slice(1)))
    else if (bare.startsWith('@')) reading.filters.push((record) => record.author?.handle === bare.slice(1))
    else if (bare !== 'l' && bare !== 't') reading.words.push(word)
  }
  return reading
}

function hasTag(record: CorpusRecord, wanted: string[]): boolean {
  return topicTags(record).some((tag) => wanted.includes(tag))
}

/** A slug is looked for among categories, then among tags; then it has to be spelt in the text. */
function isUnder(record: CorpusRecord, path: string): boolean {
  const slug = path.split(':').at(-1)!
  return slug === category.slug || hasTag(record, [slug]) || record.searchText.includes(`#${path}`)
}

/** The words that narrow to wishes where no filter does are found in the name of the category: they are not the topic. */
function topicOf(words: string[]): string {
  const text = canonicalText(words.join(' '))
  return text.replace(/ feature request$/, '')
}

/** `forum` stands in the path of a request, and among the parameters of an expectation; without it all of them are meant. */
export function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const { words, filters, order } = readSearch(parameters.get('q') ?? '')
  const forum = parameters.get('forum')
  const wanted = canonicalText(words.join(' ')).split(' ')
  return (forum === null ? forumNames : [forum]).flatMap((name) => {
    const found = corpus
      .records(`discourse/${name}`, topicOf(words))
      .filter((record) => wanted.every((word) => indexOf(record).includes(word)))
      .filter((record) => filters.every((holds) => holds(record)))
    if (order === 'likes') found.sort((a, b) => votes(b) - votes(a))
    if (order?.startsWith('latest')) found.sort((a, b) => created(b) - created(a))
    return found
  })
}

function indexOf(record: CorpusRecord): string {
  return `${record.searchText} ${canonicalText(category.name)} ${topicTags(record).join(' ')}`
}
