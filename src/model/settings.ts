import { type Static, type TObject, Type } from 'typebox'
import type { NetworkProxies } from '../http/outbound/proxy.ts'
import type { Complain } from '../runtime/config-error.ts'
import { duration } from '../runtime/duration.ts'

/** The model's environment variables: part of the schema in `config.ts`, which alone reads them. */
export const modelVariables = {
  AI_BASE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s]+$',
      description:
        'base address of an OpenAI-compatible API (`https://api.openai.com/v1`) that suggests topics for `expand`; without it they come from the cache',
    }),
  ),
  AI_API_KEY: Type.Optional(
    // Anything else fits no header and would fail like a network fault.
    Type.String({ pattern: '^[\\x21-\\x7e]+$', description: 'its API key, if it needs one', 'x-kind': 'secret' }),
  ),
  AI_MODEL: Type.Optional(Type.String({ maxLength: 200, description: 'its model; needed with `AI_BASE_URL`' })),
  AI_TIMEOUT_MS: duration(
    { bareUnit: 'ms', minimum: '100ms', maximum: '60s' },
    '4s',
    'time limit of the model, for topics at most 40 % of `LIVE_DEADLINE_SECONDS`; after that topics come from the cache',
  ),
  AI_MAX_TOKENS: Type.Integer({
    minimum: 50,
    maximum: 20_000,
    default: 500,
    description: 'max tokens of a response of the model; a reasoning model needs more',
  }),
}

export type ModelEnvironment = Static<TObject<typeof modelVariables>>

export interface ModelConfig {
  baseUrl: string
  apiKey: string | undefined
  name: string
  timeoutMs: number
  maxTokens: number
  proxies?: NetworkProxies
}

/** Null without a model. @param complain called with the first invalid variable @param proxies of the network */
export function readModelConfig(
  environment: ModelEnvironment,
  complain: Complain<ModelEnvironment>,
  proxies: NetworkProxies,
): ModelConfig | null {
  const { AI_BASE_URL: baseUrl, AI_API_KEY: apiKey, AI_MODEL: name } = environment
  if (baseUrl === undefined) {
    // Otherwise they would look effective but be unused.
    if (apiKey !== undefined) complain('AI_API_KEY', 'needs AI_BASE_URL.')
    if (name !== undefined) complain('AI_MODEL', 'needs AI_BASE_URL.')
    return null
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : complain('AI_BASE_URL', 'is not a web address.')
  // Credentials would not be sent, and addresses are logged, unlike keys.
  if (url.username !== '' || url.password !== '') {
    complain('AI_BASE_URL', 'must hold no user name or password; a key belongs into AI_API_KEY.')
  }
  if (name === undefined) return complain('AI_MODEL', 'is needed with AI_BASE_URL.')
  const { AI_TIMEOUT_MS: timeoutMs, AI_MAX_TOKENS: maxTokens } = environment
  return { baseUrl, apiKey, name, timeoutMs, maxTokens, proxies }
}
