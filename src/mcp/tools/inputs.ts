import { Type } from 'typebox'

/** Inputs shared by tools. */
export const cursor = Type.Optional(Type.String({ maxLength: 12_000, description: 'From the previous answer' }))
export const platforms = Type.Optional(
  Type.Array(Type.String(), { minItems: 1, description: 'Such as github, hackernews, reddit; all by default' }),
)
export const date = (description: string) => Type.Optional(Type.String({ description }))
export const idempotencyKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Repeat it to try the same call again: it has its effect once',
  }),
)
