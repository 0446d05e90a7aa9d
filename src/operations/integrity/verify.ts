import type { Database, DatabaseBackend } from '../../database/open.ts'
import type { Verified, VerifyOptions } from '../../requests/wrong-number.ts'
import { verifyVocabulary } from '../../search/verify.ts'
import { verifyWishes } from '../../wishes/list/verify.ts'
import { verifyTopics } from '../../wishes/topics/verify.ts'

/** What is derived from the requests, and can be derived anew. */
export const derivedParts = ['topics', 'wishes', 'vocabulary'] as const

export type DerivedPart = (typeof derivedParts)[number]

export interface VerifyDerivedOptions extends VerifyOptions {
  backend: DatabaseBackend
}

/** Derives a part anew and compares, while the service runs or not. Statements and memory are bounded; all requests are read. */
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
