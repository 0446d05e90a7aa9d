import type { components } from '../../client/api.d.ts'
import type { Data } from '../../client/types.ts'

// What commands send and read, as in the API document.

export type Schemas = components['schemas']

// Commands pass words through: the service validates them.
export type { Answer, Body, Data, Query } from '../../client/types.ts'

/** Older services omit a job's cost and starter. */
export type Job = Omit<Data<'readScrapeJob'>, Cost> & Partial<Pick<Data<'readScrapeJob'>, Cost>>
type Cost = 'credits' | 'startedBy'
