import type { Migration } from 'kysely/migration'
import * as version1 from './001-version-1.ts'
import * as onlyWishes from './002-only-wishes.ts'
import * as wishes from './003-wishes.ts'
import * as pastOneMachine from './004-past-one-machine.ts'
import * as comeBack from './005-come-back.ts'

/**
 * In the order in which they run, a number each: the last is the schema version. Only ever appended to: a released migration is
 * never edited, nor taken back.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-version-1': version1,
  '002-only-wishes': onlyWishes,
  '003-wishes': wishes,
  '004-past-one-machine': pastOneMachine,
  '005-come-back': comeBack,
}
