import { hash } from 'node:crypto'

/** A sum over the rows of a table, or of a part of it, that does not depend on their order: of 60 bits of the SHA-256 of each row as JSON. */
export type Checksum = bigint

/** The share of one row. */
export const checksumOfRow = (line: string): Checksum => hash('sha256', line, 'buffer').readBigUInt64BE() >> 4n

/** The same in SQL, as text. @param line an expression for the row as JSON. SHA-256, because a Postgres in FIPS mode refuses MD5. */
export const checksumInSql = (line: string): string =>
  `coalesce(sum(('x' || substr(encode(sha256(convert_to(${line}, 'UTF8')), 'hex'), 1, 15))::bit(60)::bigint), 0)::text`
