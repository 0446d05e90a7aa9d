import { expect, it } from 'vitest'
import { prepareContract, readDocument } from './testing.ts'

// `sortBy` has the same words wherever it is taken.

const contract = prepareContract()

const orders: Record<string, string[]> = {
  '/api/v1/requests': ['new', 'votes'],
  '/api/v1/requests/export': ['relevance', 'votes', 'new'],
  '/api/v1/requests/search': ['relevance', 'votes', 'new'],
  '/api/v1/topics': ['new', 'votes', 'name'],
  '/api/v1/wishes': ['votes', 'requests', 'growing', 'new'],
}

interface Schema {
  enum?: string[]
}
interface Operation {
  parameters?: { name: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: { properties?: Record<string, Schema> } }> }
}

/** The orders that an operation documents; undefined where it has none. */
const documentedOrders = ({ parameters = [], requestBody }: Operation): string[] | undefined =>
  (
    parameters.find(({ name }) => name === 'sortBy')?.schema ??
    requestBody?.content['application/json']?.schema.properties?.sortBy
  )?.enum

/** The status of a call with this order, and what the answer says of `sortBy`. */
async function send(path: string, sortBy: string) {
  const { client } = contract.service
  const query = sortBy === 'relevance' ? '&query=dark' : ''
  const { status, body } = path.endsWith('/search')
    ? await client.search('dark', { sortBy })
    : await client.get(`${path}?sortBy=${sortBy}${query}`)
  return [path, sortBy, status, body?.error?.message]
}

it('the same words mean the same in every list and search', async () => {
  const body = await readDocument(contract.service.client)
  const documented = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      // The forms of other programs have words of their own.
      Object.values(path.startsWith('/compat/') ? {} : methods).flatMap((operation) => {
        const words = documentedOrders(operation)
        return words ? [[path, words]] : []
      }),
  )
  expect(Object.fromEntries(documented)).toEqual(orders)
})

it('top is accepted for votes, and every other word is a 400 that names the orders', async () => {
  for (const [path, words] of Object.entries(orders)) {
    for (const word of [...words, 'top']) expect(await send(path, word)).toEqual([path, word, 200, undefined])
    for (const word of ['newest', 'TOP', 'toString', '']) {
      const message = `sortBy: must be one of ${words.join(', ')}, not "${word}".`
      expect(await send(path, word)).toEqual([path, word, 400, message])
    }
  }
})
