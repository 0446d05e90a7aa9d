/** The search engine that this database has, or that SEARCH_ENGINE names, cannot be opened: the service does not start with another one. */
export class SearchEngineError extends Error {
  override readonly name = 'SearchEngineError'
}
