import { Ajv } from 'ajv'
import { type Static, type TObject, Type } from 'typebox'
import { parsedJson } from '../runtime/foreign/json.ts'
import type { ModelConfig } from './settings.ts'

/** Why a model's answer is not used. The message never quotes what was sent or answered. */
export class ModelError extends Error {
  override readonly name: string = 'ModelError'
}

/** A question to a model: fixed instructions, and data it must not obey. */
export interface Question {
  /** Name of the answer's schema. */
  name: string
  /** Schema of the answer, validated again by its reader. */
  schema: TObject
  instructions: string
  /** Sent as one JSON object in its own message: no text in it can end the message or start another. */
  data: Record<string, unknown>
}

/** `current` as OpenAI documents; `plain` for other servers: `max_tokens`, JSON without a schema. */
export type Dialect = 'current' | 'plain'

/** The body of a chat completion request. */
export function completionRequest(
  { name: model, maxTokens }: Pick<ModelConfig, 'name' | 'maxTokens'>,
  dialect: Dialect,
  { name, schema, instructions, data }: Question,
): string {
  const limits =
    dialect === 'current'
      ? {
          max_completion_tokens: maxTokens,
          response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
        }
      : { max_tokens: maxTokens, response_format: { type: 'json_object' } }
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: JSON.stringify(data) },
    ],
    ...limits,
  })
}

/** The part of a chat completion that is read. */
const completion = Type.Object({
  choices: Type.Array(
    Type.Object({
      finish_reason: Type.Optional(Type.Unknown()),
      message: Type.Object({
        content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        refusal: Type.Optional(Type.Unknown()),
      }),
    }),
    { minItems: 1 },
  ),
})

const isCompletion = new Ajv().compile<Static<typeof completion>>(completion)

/** @param body the parsed answer @returns its JSON, unvalidated @throws ModelError if refused, cut off, or no JSON */
export function completionValue(body: unknown): unknown {
  if (!isCompletion(body)) throw new ModelError('answered with no chat completion')
  const { message, finish_reason: reason } = body.choices[0]!
  if (typeof message.refusal === 'string' && message.refusal !== '') throw new ModelError('refused')
  if (reason === 'content_filter') throw new ModelError('refused')
  if (reason === 'length') throw new ModelError('was cut off; raise AI_MAX_TOKENS')
  // Servers without schemas often wrap JSON in Markdown code.
  const text = (message.content ?? '').trim().replace(/^```(?:json)?|```$/g, '')
  const value = parsedJson(text)
  if (value === undefined) throw new ModelError('answered with no JSON')
  return value
}

/** @param fault names a wrong form in logs @returns a reader of parsed bodies that throws ModelError */
export function readerOf<Form extends TObject>(form: Form, fault: string): (body: unknown) => Static<Form> {
  const isOfForm = new Ajv().compile<Static<Form>>(form)
  return (body) => {
    const value = completionValue(body)
    if (!isOfForm(value)) throw new ModelError(fault)
    return value
  }
}
