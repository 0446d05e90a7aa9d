import { type Static, type TObject, Type } from 'typebox'

/** Sources a job may name: any public one, or only the operator's. */
export type SourcesPolicy = 'any' | 'listed'

/** Environment variables for account sources: part of the schema in `config.ts`, which alone reads them. */
export const sourceVariables = {
  SOURCES: Type.Optional(
    Type.Union([Type.Literal('any'), Type.Literal('listed')], {
      description:
        'the sources that a job may name: `any` public one, or only those that are `listed` in variables such as `DISCOURSE_URLS`; by default `any` while there is one account, `listed` while there are several',
    }),
  ),
  ALLOW_PRIVATE_TARGETS: Type.Boolean({
    default: false,
    description:
      '`true` lets accounts name sources, receivers and trackers at private addresses, such as a forum inside your network, by http and at any port',
  }),
}

export type SourcesConfig = ReturnType<typeof readSourcesConfig>

/** Reads the variables of account sources. */
export const readSourcesConfig = (environment: Static<TObject<typeof sourceVariables>>) => ({
  policy: environment.SOURCES,
  allowPrivateTargets: environment.ALLOW_PRIVATE_TARGETS,
})
