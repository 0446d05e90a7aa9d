import { type Static, Type } from 'typebox'
import type { Complain } from '../../runtime/config-error.ts'

/** The environment variable of the key that seals secrets: part of the schema in `config.ts`, which alone reads it. */
export const secretsVariables = {
  SECRETS_KEY: Type.Optional(
    Type.String({
      'x-kind': 'secret',
      description:
        'the key that seals the addresses and tokens of channels: base64 of 32 random bytes (`openssl rand -base64 32`); with the embedded database it is made in `DATA_DIR/secrets-key`, with `DATABASE_URL` it is required once there is a channel. Several with commas between them: the first seals, all open',
    }),
  ),
}

const schema = Type.Object(secretsVariables)

export interface SecretsConfig {
  /** 32 bytes each; the first seals. Undefined: made in the data directory, if there is one. */
  secretsKeys: readonly Buffer[] | undefined
}

const rule =
  'must be the base64 of 32 bytes, as `openssl rand -base64 32` prints; several with commas between them, the new one first.'

/** One key as text. @returns null for what is not 32 bytes in base64. */
export function parseSecretsKey(text: string): Buffer | null {
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null
  return bytes?.length === 32 ? bytes : null
}

/** Interprets the variable. @param complain called when it is wrong, without its value. */
export function readSecretsConfig(
  { SECRETS_KEY: text }: Static<typeof schema>,
  complain: Complain<Static<typeof schema>>,
): SecretsConfig {
  if (text === undefined) return { secretsKeys: undefined }
  return { secretsKeys: text.split(',').map((one) => parseSecretsKey(one.trim()) ?? complain('SECRETS_KEY', rule)) }
}
