/** The calls of the last minute, counted per account; only for several processes on one Postgres. */
export const rateLimits: readonly string[] = [
  // Unlogged: a crash loses at most the last minute. Uncompressed: timestamps hardly compress, and every call rewrites them.
  `create unlogged table rate_limit_windows (
    key text primary key,
    hits timestamptz[] storage external not null,
    accepted boolean not null,
    counted_at timestamptz not null
  ) with (fillfactor = 50)`,
]
