import { afterAll, beforeAll } from 'vitest'
import type { TestClient } from '../client.ts'
import { startTestService, type TestService, testAdminKey } from '../service.ts'

export const json = { 'content-type': 'application/json' }
/** An id of the right form that nothing has. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

/** The kind of key that a route requires. */
export type Key = 'account' | 'admin'

/** One service for all tests of a file. */
export function prepareContract(): { readonly service: TestService; clientOf(key: Key): TestClient } {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ ownDatabase: true, environment: { LIVE_DEADLINE_SECONDS: '1' } })
  })
  afterAll(() => service.stop())
  return {
    get service() {
      return service
    },
    clientOf: (key) => service.clientFor(key === 'admin' ? testAdminKey : service.apiKey),
  }
}
