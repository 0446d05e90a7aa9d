import pg from 'pg'

/** How the values of an answer are read, in both homes: `bigint` as a number, since counts and ids here stay far below 2^53. */
export const valueTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}
