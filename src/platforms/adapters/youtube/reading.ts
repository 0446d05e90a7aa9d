import { asFields } from '../../content/fields.ts'
import type { Json } from '../../platform.ts'

/**
 * The comments of a video cannot be searched for alternatives (googleapis/google-api-go-client issue 373). So each phrase has
 * its own round: when every video has been searched for one phrase, the next round searches them for the next phrase.
 */
export const phrases = ['please add', 'I wish', 'would be nice', 'feature request']

/** How far the comments of one video have been read. */
export interface Reading {
  /** The index of the phrase that came first. */
  first: number
  /** How many phrases are done. */
  done: number
  /** The page token of the current phrase; null for its first page. */
  token: string | null
}

/** The phrase that the next page of a video is searched for. */
export const phraseOf = ({ first, done }: Reading): string => phrases[(first + done) % phrases.length]!

/**
 * The cursor after a page that gave `token`.
 * @returns null when the video was searched for every phrase. A token that repeats ends its phrase.
 */
export function nextReading({ first, done, token: current }: Reading, token: string | null): Json {
  if (token !== null && token !== current) return { first, done, token }
  return done + 1 < phrases.length ? { first, done: done + 1, token: null } : null
}

/** The cursor after a page of a video that is read newest first, without phrases. */
export function nextOfNewest(token: string | null, sent: string | null): Json {
  return token === null || token === sent ? null : { token }
}

/** @param first the phrase to begin with where the cursor does not say. */
export function asReading(cursor: Json, first: number): Reading {
  const fields = asFields(cursor)
  const count = (value: unknown, otherwise: number) =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : otherwise
  return { first: count(fields?.first, first), done: count(fields?.done, 0), token: asPageToken(fields?.token) }
}

/** Tokens have grown over the years, from 6 to several hundred characters. */
export function asPageToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4000}$/.test(value) ? value : null
}
