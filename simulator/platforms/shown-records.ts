import type { Corpus, CorpusRecord } from '../corpus.ts'

/** The records that a search has shown, because a record alone can be read by its id only when its topic is known. */
const shown = new WeakMap<Corpus, Map<string, CorpusRecord>>()

/** @param place as in `Corpus.records`. */
export function rememberShown(
  corpus: Corpus,
  place: string,
  records: readonly CorpusRecord[],
  idOf: (record: CorpusRecord) => string | number,
): void {
  const known = shown.get(corpus) ?? new Map<string, CorpusRecord>()
  for (const record of records) known.set(`${place} ${idOf(record)}`, record)
  shown.set(corpus, known)
}

/** Undefined for a record that no search has shown. */
export function shownRecord(corpus: Corpus, place: string, id: string): CorpusRecord | undefined {
  return shown.get(corpus)?.get(`${place} ${id}`)
}
