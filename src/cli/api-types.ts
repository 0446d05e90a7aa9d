import type { components } from '../../client/api.d.ts'
import type { Data } from '../../client/types.ts'

// What the commands send and read, as the document of the API describes it.

export type Schemas = components['schemas']

// The commands send words as they are given: the service knows which of them are valid.
export type { Answer, Body, Data, Query } from '../../client/types.ts'

/** Older services do not say what a job costs, and by whom. */
export type Job = Omit<Data<'readScrapeJob'>, Cost> & Partial<Pick<Data<'readScrapeJob'>, Cost>>
type Cost = 'credits' | 'startedBy'
