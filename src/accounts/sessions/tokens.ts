import { createHash, createHmac, randomBytes } from 'node:crypto'

/** 256 random bits: what a cookie or a sign-in link holds. Only its hash is stored. */
export const generateToken = (): string => randomBytes(32).toString('base64url')

/** What is no token of ours need not be looked up. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export const hashToken = (token: string): string => sha256(token)

/**
 * Says which admin key opened a session or made a link. The token is its salt, and the database does not hold it: an admin key
 * that an operator chose badly cannot be guessed from here.
 */
export const hashAdminKey = (token: string, adminKey: string): string => sha256(`${token} ${adminKey}`)

/** What calls of a session that change something must carry; it follows from the token, so nothing more is stored. */
export const csrfTokenOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('base64url')
