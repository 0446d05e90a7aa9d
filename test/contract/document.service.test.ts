import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { environmentSchema } from '../../src/app/config.ts'
import { startTestService } from '../service.ts'

it('is the document that clients are made of (npm run client)', async () => {
  const { default: platforms } = environmentSchema.properties.PLATFORMS as { default?: string }
  const service = await startTestService({ environment: { PLATFORMS: platforms! } })
  onTestFinished(() => service.stop())
  const { servers: _, ...document } = (await service.clientFor(null).get('/openapi.json')).body
  expect(document).toEqual(JSON.parse(readFileSync(new URL('../../client/openapi.json', import.meta.url), 'utf8')))
})
