/** Suffixes that compression adds, one per hop: `-gzip` (Apache, Caddy), `--gzip` (Jetty), `;br`, `:zstd`. */
const suffix = /^(?:(?:-{1,2}|[;:.+_])(?:gzip|gz|br|brotli|deflate|df|zstd|zst|identity)){1,3}$/i

/** A tag without what proxies change: weak or strong, quoted or not. */
const bareTag = (tag: string) => tag.trim().replace(/^W\//i, '').replaceAll('"', '')

/** Weak comparison (RFC 9110, 13.1.2), even if a proxy changed the tag. @param etag without commas */
export function hasTag(ifNoneMatch: string, etag: string): boolean {
  const known = bareTag(etag)
  return ifNoneMatch
    .split(',')
    .map(bareTag)
    .some((tag) => tag === '*' || tag === known || (tag.startsWith(known) && suffix.test(tag.slice(known.length))))
}

/** `If-Modified-Since` in any date form (RFC 9110, 5.6.7), ignoring an appended length; null if no date. */
export function parseSince(ifModifiedSince: string): number | null {
  const text = ifModifiedSince.replace(/;.*$/s, '').replaceAll('"', '').trim()
  // An asctime date has no zone and means UTC.
  const [, weekday, rest] = /^([A-Za-z]+),? +(.*)$/s.exec(text) ?? []
  const dated = weekday === undefined ? text : rest!
  const since = Date.parse(/(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/i.test(dated) ? dated : `${dated} GMT`)
  return Number.isNaN(since) ? null : since
}
