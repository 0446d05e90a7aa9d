import { once } from 'node:events'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { campaignSize } from '../campaign-size.ts'
import { killedService } from './killed-service.ts'

// Holds (Data): after kill -9, an import resumes and a deletion finishes, without loss or duplicates

const { client, start, open } = killedService()
const rows = 1_000
const csv = (round: number) =>
  ['id,title,votes', ...Array.from({ length: rows }, (_, id) => `${id},Please add a dark theme ${id},${round}`)].join(
    '\n',
  )
const send = (method: string, path: string, body?: string) =>
  client.send(method, `/api/v1/feedback/imports${path}`, {
    ...(body === undefined ? {} : { headers: { 'content-type': 'text/csv' }, body }),
  })

async function readStored() {
  const { database, close } = await open()
  const { rows: stored } = await sql<{ requests: number; ids: number; votes: number; found: number }>`
    select count(*)::integer as requests, count(distinct source_id)::integer as ids, coalesce(sum(votes), 0)::integer as votes,
      (select count(*) from request_sources where platform = 'import')::integer as found
    from requests where platform = 'import'`.execute(database)
  await close()
  return stored[0]!
}

it('an import, and its deletion, that kill -9 cuts short', { timeout: 300_000 }, async () => {
  // Within the first transaction, between two of them, and in a later one; what is known takes fewer statements.
  const points = [80, 4, 15, 22, 33, 40, 55].slice(0, campaignSize('IMPORT_KILLS', { quick: 2, nightly: 7 }))
  for (const [round, point] of points.entries()) {
    const dying = await start(point)
    const died = once(dying, 'exit')
    expect(await send('POST', '?name=board', csv(round)).catch(() => null)).toBeNull()
    await died
    const before = await readStored()
    expect(before.ids).toBe(before.requests)
    const alive = await start(0)
    const again = await send('POST', '?name=board', csv(round))
    expect(again.status, again.text).toBe(200)
    alive.kill('SIGKILL')
    await once(alive, 'exit')
    expect(await readStored()).toEqual({ requests: rows, ids: rows, votes: rows * round, found: rows })
  }
  const dying = await start(12)
  const died = once(dying, 'exit')
  expect(await send('DELETE', '/board').catch(() => null)).toBeNull()
  await died
  const alive = await start(0)
  expect((await send('GET', '')).body.data.results).toEqual([])
  // The background would delete what is left, too, within minutes.
  const again = await send('DELETE', '/board')
  expect([again.status, again.body.data?.deleted > 0], again.text).toEqual([200, true])
  expect((await send('DELETE', '/board')).status).toBe(404)
  expect((await client.get('/api/v1/requests?include=all')).body.data.results).toEqual([])
  alive.kill('SIGKILL')
  await once(alive, 'exit')
})
