import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { stemOf } from './words.ts'

// Holds (Jobs): topics are compared by the stems of the search index

const words =
  `notifications notify notified scheduling schedules themes theming dark darker modes encryption encrypted sync syncing
  syncs offline adding eggs skies dying ties news queries queried exports exporting caching happily nationality generously
  relational communism organisation organization cplusplus dotnet 2dot10 v2 3rd h264s base64encode café übersicht notificação
  naïve поиск уведомления 夜间 ダーク y ab sky`.split(/\s+/)

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

test('words have the stems that the search index gives them', async () => {
  const { rows } = await sql<{ stems: string[] }>`
    select tsvector_to_array(to_tsvector('wishwell', word)) as stems
    from unnest(${words}::text[]) with ordinality as words (word, position) order by position`.execute(opened.database)
  expect(words.map((word) => [word, stemOf(word)])).toEqual(words.map((word, index) => [word, rows[index]?.stems[0]]))
})

test('a double letter after the first vowel stays, in newer versions of Snowball', () => {
  expect(['added', 'adding', 'erring', 'adds', 'apps', 'app', 'off'].map(stemOf)).toEqual(
    'add add err add app app off'.split(' '),
  )
})
