import { Type } from 'typebox'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import type { Database, DatabaseBackend } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { closed, nullable, oneOf, reading } from '../../http/schemas.ts'
import type { Verified, VerifyOptions } from '../../requests/wrong-number.ts'
import { verifyVocabulary } from '../../search/verify.ts'
import { verifyWishes } from '../../wishes/list/verify.ts'
import { verifyTopics } from '../../wishes/topics/verify.ts'

/** What can be re-derived from the requests. */
export const derivedParts = ['topics', 'wishes', 'vocabulary'] as const

export type DerivedPart = (typeof derivedParts)[number]

interface VerifyDerivedOptions extends VerifyOptions {
  backend: DatabaseBackend
}

/** Re-derives a part from all requests and compares, also while the service runs. Statements and memory are bounded. */
export function verifyDerived(database: Database, part: DerivedPart, options: VerifyDerivedOptions): Promise<Verified> {
  switch (part) {
    case 'topics':
      return verifyTopics(database, options)
    case 'wishes':
      return verifyWishes(database, options)
    case 'vocabulary':
      return verifyVocabulary(database, options)
  }
}

const maxDifferences = 100

const wrongNumber = closed({
  subject: Type.String({ description: 'The topic, wish, request or word' }),
  check: Type.String({ description: 'What is wrong of it' }),
  stored: nullable(Type.String()),
  expected: nullable(Type.String({ description: 'Derived anew from the requests' })),
})

/** Registers the operator's check of derived data. */
export function registerIntegrityRoutes(
  app: App,
  { database, backend, authentication }: Omit<RouteDependencies, 'clock' | 'idempotent'> & { backend: DatabaseBackend },
): void {
  app.get('/api/admin/verify/:part', {
    onRequest: authentication.requireAdmin,
    // A HEAD would read all requests for nothing.
    exposeHeadRoute: false,
    schema: {
      operationId: 'verifyDerived',
      summary: 'Derive the counts of topics, the numbers of wishes or the vocabulary anew, and compare',
      description:
        'At most 100 differences. It reads all requests in short statements, so it takes a minute for some hundred thousand.',
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      params: closed({ part: oneOf(derivedParts) }),
      response: reading(
        closed({
          wrong: Type.Array(wrongNumber),
          unchecked: Type.Integer({
            minimum: 0,
            description: 'How many words changed each time that they were read, so that nothing can be said of them',
          }),
        }),
      ),
    },
    handler: async ({ params: { part } }, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort(new Error('the caller is gone')))
      return { data: await verifyDerived(database, part, { backend, limit: maxDifferences, signal: gone.signal }) }
    },
  })
}
