import { createHash } from 'node:crypto'
import type { Static, TObject } from 'typebox'
import type { WishwellClient } from '../../client/client.ts'
import { WishwellError } from '../../client/error.ts'
import type { KeyScope } from '../database/column-types.ts'
import type { Answer } from './answer.ts'

/** What a tool is called with, besides its input. */
export interface Call {
  client: WishwellClient
  signal: AbortSignal
}

/** A tool, for a model. */
export interface Tool<Input extends TObject = TObject> {
  name: string
  title: string
  description: string
  /** A key with less is not told of it. */
  scope: KeyScope
  input: Input
  /** The names of `structuredContent` beside those of every answer. */
  output: TObject
  /** Whether it may collect from platforms outside. */
  isOpenWorld?: boolean
  call(input: Static<Input>, call: Call): Promise<Answer>
}

/** Keeps the type of the input of one tool. */
export const tool = <Input extends TObject>(definition: Tool<Input>): Tool => definition as unknown as Tool

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** A header for idempotent calls. Models choose any text, but headers must be ASCII. */
export const onceWith = (idempotencyKey: string | undefined) =>
  idempotencyKey === undefined ? {} : { header: { 'idempotency-key': hashOf(idempotencyKey) } }

export const invalid = (message: string) => new WishwellError(message, { code: 'INVALID_REQUEST' })

/** On whose calls a server stands. */
export interface Caller {
  /** With one key. */
  client: WishwellClient
  /** Of the key: it is not told of tools that it may not use. */
  scope: KeyScope
  /** Takes what no refusal of the API is. */
  onError: (error: unknown) => void
}

/** What to tell of a failure. Unexpected errors reveal nothing, as in the API. */
export function toRefusal(error: unknown, onError: Caller['onError']): WishwellError {
  if (error instanceof WishwellError) return error
  onError(error)
  return new WishwellError('Something went wrong on our side.', { code: 'INTERNAL_ERROR' })
}
