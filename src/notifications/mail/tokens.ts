import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits. */
export const generateToken = (): string => randomBytes(32).toString('base64url')

/** A text of another form is not looked up. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

export const confirmUrl = (publicUrl: string, token: string): string => `${publicUrl}/mail/confirm/${token}`
export const unsubscribeUrl = (publicUrl: string, token: string): string => `${publicUrl}/mail/unsubscribe/${token}`
