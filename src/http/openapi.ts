import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { version } from '../version.ts'

/** Leaves out our own keywords, which mean nothing to readers of the document. */
function withoutOwnKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwnKeywords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (key === 'x-trim' ? [] : [[key, withoutOwnKeywords(inner)]])),
  )
}

/** What `/openapi.json` is made of besides the schemas of the routes. */
export const openApiDocument: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Wishwell',
      description:
        'Collects feature requests from public platforms, lets people search them, and meters live collection.',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
    },
    tags: [{ name: 'Scraping' }, { name: 'Requests' }, { name: 'Usage' }, { name: 'Admin' }, { name: 'Service' }],
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: "An account's API key, ww_live_…" },
        adminKey: { type: 'http', scheme: 'bearer', description: 'The admin key of this installation' },
      },
    },
  },
  transform: ({ schema, url }) => ({ schema: withoutOwnKeywords(schema) as typeof schema, url }),
}
