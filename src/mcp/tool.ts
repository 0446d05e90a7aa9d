import { createHash } from 'node:crypto'
import type { Static, TObject } from 'typebox'
import type { WishwellClient } from '../../client/client.ts'
import { WishwellError } from '../../client/error.ts'
import type { KeyScope } from '../database/column-types.ts'
import type { Answer } from './answer.ts'

/** A tool's call, besides its input. */
export interface Call {
  client: WishwellClient
  signal: AbortSignal
}

export interface Tool<Input extends TObject = TObject> {
  name: string
  title: string
  description: string
  /** Keys with less do not see the tool. */
  scope: KeyScope
  input: Input
  /** Fields of `structuredContent`, besides those of every answer. */
  output: TObject
  /** Whether it may collect from external platforms. */
  isOpenWorld?: boolean
  call(input: Static<Input>, call: Call): Promise<Answer>
}

/** Preserves the input type of a tool. */
export const tool = <Input extends TObject>(definition: Tool<Input>): Tool => definition as unknown as Tool

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** A header for idempotent calls. Models choose any text, but headers must be ASCII. */
export const onceWith = (idempotencyKey: string | undefined) =>
  idempotencyKey === undefined ? {} : { header: { 'idempotency-key': hashOf(idempotencyKey) } }

export const invalid = (message: string) => new WishwellError(message, { code: 'INVALID_REQUEST' })

export interface Caller {
  /** With one key. */
  client: WishwellClient
  /** The key's; hides tools that it may not use. */
  scope: KeyScope
  /** Receives errors that are no refusals of the API. */
  onError: (error: unknown) => void
}

/** What to tell of a failure. Unexpected errors reveal nothing, as in the API. */
export function toRefusal(error: unknown, onError: Caller['onError']): WishwellError {
  if (error instanceof WishwellError) return error
  onError(error)
  return new WishwellError('Something went wrong on our side.', { code: 'INTERNAL_ERROR' })
}
