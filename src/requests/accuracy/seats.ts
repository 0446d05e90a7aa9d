import { dayOf, startOfWeek } from '../timeline.ts'

/** Texts per class (`standings`). */
export type Population = Record<0 | 1 | 2, number>
/** Texts drawn per class and week. */
export type Seats = Record<0 | 1 | 2, number>

/** Most seats go to shown texts, because people see them. Maybe and hidden get the same number each. */
const wanted: Seats = { 2: 8, 1: 6, 0: 6 }

export const weeklyTexts = 20

/** Splits the week's remaining seats: first as wanted, then the rest to classes that still have texts. */
export function shareSeats(population: Population, taken: Seats): Seats {
  const seats: Seats = { 0: 0, 1: 0, 2: 0 }
  let left = weeklyTexts - taken[0] - taken[1] - taken[2]
  const give = (standing: 0 | 1 | 2, atMost: number) => {
    const given = Math.max(0, Math.min(atMost, population[standing] - seats[standing], left))
    seats[standing] += given
    left -= given
  }
  for (const standing of [2, 1, 0] as const) give(standing, wanted[standing] - taken[standing])
  for (const standing of [0, 2, 1] as const) give(standing, left)
  return seats
}

/** The Monday (UTC) of a moment's week, as YYYY-MM-DD. */
export const weekOf = (now: Date): string => dayOf(startOfWeek(now))
