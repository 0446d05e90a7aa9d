/** A document of the benches. */
export interface BenchDocument {
  id: string
  title: string
  description: string
  votes: number
  topic: string
}

/** A search engine that the benches compare: filled once, then searched. */
export interface BenchEngine {
  readonly name: string
  /** Adds some documents; may be called many times. */
  load(documents: readonly BenchDocument[]): Promise<void>
  /** Once everything is loaded. */
  finish(): Promise<void>
  /** The ids of the best documents with any of the words, best first. */
  search(query: string, limit: number): Promise<string[]>
  /** The size of the index on disk or, if it has no file, in memory. */
  indexBytes(): Promise<number>
  close(): Promise<void>
}

/** The words of a query for engines that know no other syntax: letters and digits, each once. */
export const plainWords = (query: string): string[] => [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]
