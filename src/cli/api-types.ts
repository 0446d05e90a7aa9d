import type { components, operations } from '../../client/api.d.ts'

// What the commands send and read, as the document of the API describes it.

export type Schemas = components['schemas']

/** What an operation answers when it succeeds. */
export type Answer<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Envelope } } }
}
  ? Envelope
  : never

/** The `data` of such an answer. */
export type Data<Id extends keyof operations> = Answer<Id> extends { data: infer Inner } ? Inner : never

/** The body that an operation takes. The commands send words as they are given: the service knows which of them are valid. */
export type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Sent } }
}
  ? Sent
  : never

/** Older services do not say what a job costs, and by whom. */
export type Job = Omit<Data<'readScrapeJob'>, Cost> & Partial<Pick<Data<'readScrapeJob'>, Cost>>
type Cost = 'credits' | 'startedBy'

/** The query of an operation. */
export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>
