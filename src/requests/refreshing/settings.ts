import { type Static, type TObject, Type } from 'typebox'

/** The environment variables of refreshing, part of the schema in `config.ts`, which alone reads them. */
export const refreshVariables = {
  REFRESH_REQUESTS: Type.Boolean({
    default: true,
    description:
      'whether known requests are read again in the background, with what jobs leave over of the limits of the platforms: `true` or `false`',
  }),
}

export type RefreshConfig = ReturnType<typeof readRefreshConfig>

export const readRefreshConfig = ({ REFRESH_REQUESTS }: Static<TObject<typeof refreshVariables>>) => ({
  refreshesRequests: REFRESH_REQUESTS,
})
