import { expect, it } from 'vitest'
import { openDatabase } from '../../database/open.ts'
import { dumpOf, newDatabase, restoreInto, withDatabase } from './testing.ts'

it('dump and restore-dump are refused while a service uses the database', async () => {
  const place = await newDatabase()
  const { dump } = await dumpOf(place)
  await withDatabase(place, async ({ opened }) => {
    const stop = await opened.listen('wishwell_tasks', () => {})
    await expect(dumpOf(place)).rejects.toThrow('a process of Wishwell uses the database. Stop all of them first.')
    await expect(restoreInto(place, dump)).rejects.toThrow('a process of Wishwell uses the database')
    await stop()
  })
  const opened = await openDatabase({ ...place, onCrash: () => {} })
  await opened.close()
  await dumpOf(place)
})
