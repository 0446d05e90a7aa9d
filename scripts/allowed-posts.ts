import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Lines whose number, from 0, leaves this when divided by 5 are kept for acceptance, as the README of the corpora says. */
const reservedRemainder = 3

/** The lines of the corpus of posts that may be read. Those that are kept for acceptance are never even parsed. */
export const readAllowedPosts = (file: string): string[] =>
  // Not `readline`, which also ends a line at U+2028.
  gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter((line, number) => line !== '' && number % 5 !== reservedRemainder)
