import type { Random } from '../random.ts'
import type { SimulatedRecord } from '../records.ts'

const firstNames =
  'Agnes Amara Anders Anjali Beatriz Benedikt Bram Camille Carlos Chiara Daniela Dmitri Edith Emre Erin Farah Felix Gabriela Goran ' +
  'Hanna Hiroshi Ida Imani Ines Ivan Jamal Joanna Jonas Kaito Katrin Kwame Laila Leon Lucia Magnus Marta Mateo Mei Milos Nadia Niamh ' +
  'Oscar Paulo Petra Priya Quentin Rahel Rosa Samir Selin Sofia Tadeo Tereza Theo Uma Viktor Wanjiru Yara Yusuf Zofia'
const lastNames =
  'Abara Almeida Andersson Baptiste Barros Bianchi Castro Costa Demir Eriksen Farkas Fischer Fontaine Garcia Haddad Hansen Hofer ' +
  'Horvat Iyer Jansen Jensen Kaur Keller Kimani Kowalska Laurent Lindgren Lopez Marino Mensah Moreau Murphy Nakamura Novak Okafor Olsen ' +
  'Park Pereira Popescu Rao Reyes Romano Sato Schmid Silva Sorensen Tanaka Torres Urban Varga Vogel Walsh Weber Wójcik Yilmaz Zhou'

const first = firstNames.split(' ')
const last = lastNames.split(' ')

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
  const [firstName, lastName] = [random.pick(first), random.pick(last)]
  const handle = inventHandle(random, firstName, lastName)
  return { handle, name: `${firstName} ${lastName}`, id: random.integer(10_000, 9_999_999) }
}
