import pg from 'pg'

const bigintArray = 1016

const readTexts = pg.types.getTypeParser(bigintArray as never)
const readNumbers = (text: string) =>
  (readTexts(text) as unknown as (string | null)[]).map((one) => (one === null ? null : Number(one)))

/** Both backends read `bigint` as a number: counts and ids stay far below 2^53. */
export const valueTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number
    return oid === bigintArray ? readNumbers : pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser,
}
