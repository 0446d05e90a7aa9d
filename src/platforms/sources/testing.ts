import type { SourceKind } from '../definition.ts'

/** Repositories and forums, as tests without the adapters name them. */
export const testSourceKinds: ReadonlyMap<string, SourceKind> = new Map([
  [
    'github',
    {
      form: 'owner/repository',
      example: 'ada/engine',
      normalise: (text: string) => (/^[\w.-]+\/[\w.-]+$/.test(text) ? text.toLowerCase() : null),
    },
  ],
  [
    'stackexchange',
    {
      form: 'a site',
      example: 'ux',
      normalise: (text: string) => (/^[a-z.]+$/.test(text) ? text : null),
    },
  ],
])
