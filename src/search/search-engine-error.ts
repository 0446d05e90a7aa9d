/** The engine of this database or of SEARCH_ENGINE cannot be opened; there is no fallback to another engine. */
export class SearchEngineError extends Error {
  override readonly name = 'SearchEngineError'
}
