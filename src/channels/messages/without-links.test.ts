import { expect, it } from 'vitest'
import { testMessage } from '../testing.ts'
import { toDigest } from './digest.ts'
import { withoutLinks } from './without-links.ts'

it('a message without links has no address of the page, alone and in a digest', () => {
  const data = { watchId: '1', newWishes: [{ wishId: '2', url: 'https://wishwell.example/wishes/2' }] }
  const message = withoutLinks(testMessage({ data }))
  const digest = toDigest([message, { ...message, id: '2' }], { id: '3', now: new Date() })
  for (const one of [message, digest]) expect(JSON.stringify(one)).not.toContain('wishwell.example')
  expect(message).toMatchObject({
    title: 'Editors: 1 new',
    link: null,
    data: { newWishes: [{ wishId: '2', url: null }] },
  })
  expect(message.sections[0]!.items[0]).toMatchObject({ title: 'Dark mode', url: null })
})
