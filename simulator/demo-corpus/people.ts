import type { Random } from '../random.ts'
import type { SimulatedRecord } from '../records.ts'
import names from './people.json' with { type: 'json' }

/** User names of platforms without full names. */
function inventHandle(random: Random, firstName: string, lastName: string): string {
  const [given, family] = [firstName, lastName].map((name) =>
    name
      .normalize('NFD')
      .replace(/[^A-Za-z]/g, '')
      .toLowerCase(),
  ) as [string, string]
  return random.pick([
    `${given[0]}${family}`,
    `${given}-${family}`,
    `${family}${random.integer(3, 99)}`,
    `${given}${family[0]}`,
    `${family}-dev`,
    `the-${given}`,
  ])
}

/** An invented person; no real account is meant. */
export function inventPerson(random: Random): NonNullable<SimulatedRecord['author']> {
  const [firstName, lastName] = [random.pick(names.first), random.pick(names.last)]
  const handle = inventHandle(random, firstName, lastName)
  return { handle, name: `${firstName} ${lastName}`, id: random.integer(10_000, 9_999_999) }
}
