import { expect, it } from 'vitest'
import { webhookBody } from '../adapters/webhook.ts'
import { testMessage } from '../testing.ts'
import { createDigest } from './digest.ts'
import { withoutLinks } from './renderer.ts'

const now = new Date('2026-05-06T08:00:00Z')

it('a digest of large messages has the data of those that fit, the ids of all, and says how many were left out', () => {
  const digest = createDigest()
  const data = { text: 'ü'.repeat(20_000) }
  for (let index = 0; index < 100; index++) digest.add(testMessage({ id: String(index), data }))
  const message = digest.toMessage({ id: 'digest', now })!
  expect(Buffer.byteLength(webhookBody(message))).toBeLessThan(300_000)
  const { events, leftOut } = message.data as { events: { id: string; data: object | null }[]; leftOut: number }
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => String(index)))
  expect(events.slice(0, 6).map((one) => one.data)).toEqual(Array(6).fill(data))
  expect([events.filter((one) => one.data === null).length, leftOut]).toEqual([94, 94])
  expect(message).toMatchObject({ title: '100 messages from Wishwell', paragraphs: ['The first 20 are shown.'] })
})

it('a small digest has the data of all, and one message is told by itself', () => {
  const digest = createDigest()
  expect([digest.first(), digest.toMessage({ id: 'digest', now })]).toEqual([null, null])
  digest.add(testMessage({ id: 'a' }))
  expect(digest.first()).toEqual(testMessage({ id: 'a' }))
  expect(digest.toMessage({ id: 'digest', now })).toMatchObject({ id: 'digest', title: 'Editors: 1 new' })
  digest.add(testMessage({ id: 'b' }))
  expect(digest.toMessage({ id: 'digest', now })!.data).toMatchObject({
    events: [{ id: 'a' }, { id: 'b' }],
    leftOut: 0,
  })
})

it('a message without links has no address of the page, alone and in a digest', () => {
  const data = { watchId: '1', newWishes: [{ wishId: '2', url: 'https://wishwell.example/wishes/2' }] }
  const message = withoutLinks(testMessage({ data }))
  const both = createDigest()
  for (const id of ['1', '2']) both.add({ ...message, id })
  const digest = both.toMessage({ id: '3', now: new Date() })
  for (const one of [message, digest]) expect(JSON.stringify(one)).not.toContain('wishwell.example')
  expect(message).toMatchObject({
    title: 'Editors: 1 new',
    link: null,
    data: { newWishes: [{ wishId: '2', url: null }] },
  })
  expect(message.sections[0]!.items[0]).toMatchObject({ title: 'Dark mode', url: null })
})
