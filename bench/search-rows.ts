import { type Corpus, createRandom } from './engines/corpus.ts'

export interface Row {
  what: string
  /** Parameters besides the words; only Wishwell has them. */
  more?: Record<string, unknown>
  queries: string[]
}

/** Twenty queries of each kind, the same in every run. */
export function rowsOf({ frequentWords, rareWords }: Corpus): Row[] {
  const random = createRandom(7)
  const pick = (from: readonly string[], count: number) =>
    Array.from({ length: count }, () => from[Math.floor(random() * from.length)]!).join(' ')
  const many = (make: () => string) => Array.from({ length: 20 }, make)
  const common = (count: number) => many(() => pick(frequentWords, count))
  return [
    { what: 'one common word', queries: common(1) },
    { what: 'two common words', queries: common(2) },
    { what: 'four common words', queries: common(4) },
    { what: 'eight common words', queries: common(8) },
    { what: 'thirty common words', queries: common(30) },
    { what: 'one rare word', queries: many(() => pick(rareWords, 1)) },
    {
      what: 'two common words, platform and votes',
      more: { filters: { platforms: ['github'], minVotes: 5 } },
      queries: common(2),
    },
    { what: 'two common words, one topic', more: { filters: { topic: 'topic 7' } }, queries: common(2) },
    { what: 'one common word by votes', more: { sortBy: 'votes' }, queries: common(1) },
    { what: 'two common words by votes', more: { sortBy: 'votes' }, queries: common(2) },
    { what: 'four common words by date', more: { sortBy: 'new' }, queries: common(4) },
    {
      what: 'two common words by votes, platform and votes',
      more: { sortBy: 'votes', filters: { platforms: ['github'], minVotes: 5 } },
      queries: common(2),
    },
    { what: 'two common words, grouped by wish', more: { groupBy: 'wish' }, queries: common(2) },
    {
      what: 'two common words, four facets',
      more: { facets: ['platform', 'status', 'tag', 'year'] },
      queries: common(2),
    },
    {
      what: 'two common words, one left out',
      more: {},
      queries: many(() => `${pick(frequentWords, 2)} -${pick(frequentWords, 1)}`),
    },
    {
      what: 'beginning of three letters',
      more: { prefix: true },
      queries: many(() => pick(frequentWords, 1).slice(0, 3)),
    },
    { what: 'two common words, with the total', more: { total: true }, queries: common(2) },
    { what: 'two common words, highlighted', more: { highlight: true }, queries: common(2) },
    { what: 'nothing matches', more: {}, queries: many(() => `${pick(rareWords, 1)}qzx`) },
  ]
}
