import { valuesOf } from '../finding.ts'
import { readForms } from '../forms.ts'
import { type Resolution, resolvedAt, type SimulatedRecord } from '../records.ts'
import fider from './fider.json' with { type: 'json' }

const forms = readForms(fider.forms)

const statuses: Record<Resolution, string> = {
  completed: 'completed',
  not_planned: 'declined',
  duplicate: 'duplicate',
  stale: 'declined',
  moved: 'declined',
}

export const slugOf = ({ title }: Pick<SimulatedRecord, 'title'>): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)

/** One post, as `entity.Post` of getfider/fider is serialised. */
export function fiderPost(record: SimulatedRecord): unknown {
  const { id, author, tags, resolution, fate, body } = record
  return forms.post({
    ...valuesOf(record),
    number: id,
    slug: slugOf(record),
    body: body ?? '',
    authorName: author?.name ?? 'Anonymous',
    status: fate === 'removed' ? 'deleted' : resolution === undefined ? 'open' : statuses[resolution],
    response:
      resolution === undefined
        ? undefined
        : {
            text: 'Thank you.',
            respondedAt: resolvedAt(record).toISOString(),
            user: { id: 2, name: 'Staff', role: 'administrator' },
            original: null,
          },
    tags: tags.map((tag) => tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')),
    isApproved: fate !== 'private',
  })
}
