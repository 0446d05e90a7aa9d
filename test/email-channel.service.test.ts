import { afterAll, beforeAll, expect, it } from 'vitest'
import { confirmationLink, readMail, startMailServer, type TestMailServer } from '../src/notifications/mail/testing.ts'
import { startTestService, type TestService } from './service.ts'

const publicUrl = 'https://wishwell.example'
let server: TestMailServer
let service: TestService
beforeAll(async () => {
  server = await startMailServer()
  const environment = { SMTP_URL: server.url, MAIL_FROM: 'news@wishwell.example', PUBLIC_URL: publicUrl }
  const key = Buffer.alloc(32, 7).toString('base64')
  service = await startTestService({ environment: { ...environment, SECRETS_KEY: key }, deliversEvents: true } as never)
})
afterAll(async () => {
  await service.stop()
  await server.close()
})

it('an account adds an address, its owner confirms, gets mail, unsubscribes, and is asked again when the channel is enabled', async () => {
  const call = (link: string, init?: RequestInit) => fetch(link.replace(publicUrl, service.url), init)
  const made = await service.client.post('/api/v1/channels', { type: 'email', name: 'Mine', address: 'me@example.org' })
  expect(made.status).toBe(200)
  const { channelId } = made.body.data as { channelId: string }
  const state = async () =>
    ((await service.client.get(`/api/v1/channels/${channelId}`)).body.data as { state: string }).state
  expect(await state()).toBe('unconfirmed')
  await expect.poll(() => server.mails.length).toBe(1)
  expect((await service.client.post(`/api/v1/channels/${channelId}/test`, {})).status).toBe(409)
  const again = () => service.client.post(`/api/v1/channels/${channelId}/confirmation`, {})
  const { confirmationAt } = (await again()).body.data as { confirmationAt: string }
  expect(Date.parse(confirmationAt)).toBeGreaterThan(Date.now() + 5 * 60_000)
  expect((await call(await confirmationLink(server.mails[0]!), { method: 'POST' })).status).toBe(200)
  expect(await state()).toBe('active')
  expect((await again()).status).toBe(409)
  const tested = await service.client.post(`/api/v1/channels/${channelId}/test`, {})
  expect(tested.body.data).toMatchObject({ delivered: true })
  const { headers } = await readMail(server.mails[1]!)
  const link = headers.find(({ key }) => key === 'list-unsubscribe')?.value.slice(1, -1) ?? ''
  const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }
  expect((await call(link, oneClick)).status).toBe(200)
  expect(await state()).toBe('disabled')
  expect(
    (
      await service.client.send('PATCH', `/api/v1/channels/${channelId}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ state: 'active' }),
      })
    ).status,
  ).toBe(200)
  expect(await state()).toBe('unconfirmed')
  const due = await service.database.selectFrom('mail_consents').select(['state', 'is_due']).execute()
  expect(due).toEqual([{ state: 'unsubscribed', is_due: true }])
  // A service that sends mails tells nobody of the server's password or the address.
  const listed = JSON.stringify((await service.client.get('/api/v1/channels')).body)
  expect(listed).not.toContain('me@example.org')
})
