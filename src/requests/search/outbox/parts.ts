import { type RawBuilder, sql } from 'kysely'

/** The parts of the requests are ranges of their ids, which are random: equal ranges of the first byte. */
export const isOfPart = (
  id: RawBuilder<unknown>,
  { part, parts }: { part: RawBuilder<unknown>; parts: RawBuilder<unknown> },
): RawBuilder<boolean> => sql<boolean>`get_byte(uuid_send(${id}), 0) * ${parts} / 256 = ${part}`

const withFirstByte = (byte: number) => `${byte.toString(16).padStart(2, '0')}000000-0000-0000-0000-000000000000`

/** The ids of a part: from the first one on, below the second, which is null for the last part. */
export function idsOfPart({ part, parts }: { part: number; parts: number }): { from: string; below: string | null } {
  const firstOf = (number: number) => Math.ceil((number * 256) / parts)
  return { from: withFirstByte(firstOf(part)), below: part + 1 === parts ? null : withFirstByte(firstOf(part + 1)) }
}
