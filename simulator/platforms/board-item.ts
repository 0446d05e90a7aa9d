import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import type { Resolution, SimulatedRecord } from '../records.ts'
import board from './board.json' with { type: 'json' }

const forms = readForms(board.forms)

const statuses: Record<Resolution, string> = {
  completed: 'Shipped',
  not_planned: 'Declined',
  duplicate: 'Duplicate',
  stale: 'Closed',
  moved: 'Closed',
}

/** The address of an idea, which the description makes of its slug. */
export const ideaUrl = ({ id }: Pick<SimulatedRecord, 'id'>): string => `https://ideas.example/i/${id}`

/** One element of `ideas`. */
export function boardIdea(record: SimulatedRecord): unknown {
  const { id, author, tags, resolution, fate } = record
  return forms.idea({
    ...valuesOf(record),
    slug: String(id),
    author: author === null ? null : { name: author.name },
    status: resolution === undefined ? 'Open' : statuses[resolution],
    tags: tags.map((name) => ({ name })),
    isPrivate: fate === 'private',
    isRemoved: fate === 'removed',
  })
}
