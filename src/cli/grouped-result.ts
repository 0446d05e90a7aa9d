import type { Data } from './api-types.ts'
import { formatAge } from './relative-time.ts'
import { count, printable, shorten } from './text.ts'

type GroupedResult = Extract<Data<'searchRequests'>['results'][number], { bestMatch: unknown }>

const indentation = '     '

/** A wish among the results of a search: its title, its numbers and its id, and the request of it that matches best. */
export function formatWish(wish: GroupedResult, position: number, { columns, now }: { columns: number; now: Date }) {
  const { wishId, title, requestCount, votes, platforms, status, firstAskedAt, matching, bestMatch } = wish
  const requests = requestCount === 1 ? [] : [`${count(requestCount, 'request')}, ${matching} match`]
  const facts = [
    count(votes, 'vote'),
    ...requests,
    platforms.map(printable).join(', '),
    ...(status === null ? [] : [printable(status).replaceAll('_', ' ')]),
    `first asked ${formatAge(firstAskedAt, now)}`,
    ...(wishId === null ? ['may be a request'] : [printable(wishId)]),
  ]
  const best = bestMatch.title === title ? '' : `${printable(bestMatch.title)} · `
  return [
    shorten(`${String(position).padStart(3)}. ${printable(title)}`, columns),
    `${indentation}${facts.join(' · ')}`,
    `${indentation}${best}${printable(bestMatch.sourceUrl)}`,
    '',
  ]
}
