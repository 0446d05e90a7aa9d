import { createHash, createHmac, randomBytes } from 'node:crypto'

/** The 256 random bits of a cookie or a sign-in link. Only the hash is stored. */
export const generateToken = (): string => randomBytes(32).toString('base64url')

/** A text of another form is not looked up. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export const hashToken = (token: string): string => sha256(token)

/**
 * Identifies the admin key that opened a session or made a link. The salt is the token, which the database does not hold: so a
 * weak admin key cannot be guessed from the database.
 */
export const hashAdminKey = (token: string, adminKey: string): string => sha256(`${token} ${adminKey}`)

/** The CSRF token of a session. It is derived from its token, so it is not stored. */
export const csrfTokenOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('base64url')
