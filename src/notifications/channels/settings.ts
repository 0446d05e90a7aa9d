import { type Static, type TObject, Type } from 'typebox'
import type { Complain } from '../../runtime/config-error.ts'

/** The environment variables of channels, part of the schema in `config.ts`, which alone reads them. */
export const channelVariables = {
  APPRISE_URL: Type.Optional(
    Type.String({
      description:
        'the address of an Apprise API, such as `http://apprise:8000`, for channels of the type `apprise`; it may be private',
    }),
  ),
  APPRISE_KEY: Type.String({
    'x-kind': 'secret',
    default: 'wishwell',
    pattern: '^[-_A-Za-z0-9]{1,128}$',
    description: 'the key of the configuration in Apprise API whose tags accounts choose from',
  }),
}

export interface AppriseConfig {
  /** Without a trailing slash. */
  url: string
  key: string
}

export interface ChannelsConfig {
  /** Null if accounts cannot use Apprise. */
  apprise: AppriseConfig | null
}

/** Validates the variables. @param complain called with each error */
export function readChannelsConfig(
  { APPRISE_URL, APPRISE_KEY: key }: Static<TObject<typeof channelVariables>>,
  complain: Complain<Static<TObject<typeof channelVariables>>>,
): ChannelsConfig {
  if (APPRISE_URL === undefined) return { apprise: null }
  const url = URL.parse(APPRISE_URL)
  const isRight =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search === ''
  if (!isRight)
    return complain('APPRISE_URL', 'must be an http or https address without a name, a password and a query.')
  return { apprise: { url: url.href.replace(/\/+$/, ''), key } }
}
