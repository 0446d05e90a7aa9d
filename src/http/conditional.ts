/** What servers that compress append to a tag, within its quotes or behind them: `-gzip` of Apache and Caddy, `--gzip` of Jetty, `;br`, `:zstd`; one for each of several hops. */
const suffix = /^(?:(?:-{1,2}|[;:.+_])(?:gzip|gz|br|brotli|deflate|df|zstd|zst|identity)){1,3}$/i

/** A tag without what may be other of the same answer: it is weak or strong, quoted or not, on its way. */
const bareTag = (tag: string) => tag.trim().replace(/^W\//i, '').replaceAll('"', '')

/**
 * Whether `If-None-Match` has a tag, by the weak comparison (RFC 9110, 13.1.2), also where a server or a proxy changed it: one that compresses makes it weak
 * or appends its coding, and some readers lose the quotes.
 * @param etag of the answer; it has no comma.
 */
export function hasTag(ifNoneMatch: string, etag: string): boolean {
  const known = bareTag(etag)
  return ifNoneMatch
    .split(',')
    .map(bareTag)
    .some((tag) => tag === '*' || tag === known || (tag.startsWith(known) && suffix.test(tag.slice(known.length))))
}

/** The moment of `If-Modified-Since` in any form of a date (RFC 9110, 5.6.7), also with the length that old readers append; null for no date. */
export function parseSince(ifModifiedSince: string): number | null {
  const text = ifModifiedSince.replace(/;.*$/s, '').replaceAll('"', '').trim()
  // An asctime date has no zone, and is in UTC.
  const [, weekday, rest] = /^([A-Za-z]+),? +(.*)$/s.exec(text) ?? []
  const dated = weekday === undefined ? text : rest!
  const since = Date.parse(/(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/i.test(dated) ? dated : `${dated} GMT`)
  return Number.isNaN(since) ? null : since
}
