import type { operations } from './api.d.ts'

// What is sent and answered, by the name of an operation (`operationId` of the API document).

type Named = keyof operations

/** What an operation answers when it succeeds: `data`, and `meta` and `usage` where it has them. */
export type AnswerOf<Operation> = Operation extends {
  responses: { 200: { content: { 'application/json': infer Answer } } }
}
  ? Answer
  : never
export type DataOf<Operation> = AnswerOf<Operation> extends { data: infer Data } ? Data : never

export type Answer<Name extends Named> = AnswerOf<operations[Name]>
/** The `data` of such an answer. */
export type Data<Name extends Named> = DataOf<operations[Name]>
/** The body that an operation takes. */
export type Body<Name extends Named> = operations[Name] extends {
  requestBody: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never
export type Query<Name extends Named> = NonNullable<operations[Name]['parameters']['query']>
