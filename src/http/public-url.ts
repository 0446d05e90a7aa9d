import type { AddressInfo, Server } from 'node:net'

/** An address with a scheme and a host, perhaps a port, and nothing else; null for anything else. */
export function parsePublicUrl(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  // Also a bare ? or #, a path, a name and a password.
  return url.href === `${url.origin}/` ? url.origin : null
}

/** Where a server listens, as `http://…`. */
export const urlOf = ({ address, port, family }: AddressInfo): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`

export interface PublicAddress {
  publicUrl: string | undefined
  host: string
  port: number
}

/**
 * The address that links carry: the configured one, else where the service listens, or where it would. Never anything that a
 * caller sends: a link with a secret must not lead where a forged `Host` header says.
 */
export function publicUrlOf({ publicUrl, host, port }: PublicAddress, server: Server): string {
  if (publicUrl !== undefined) return publicUrl
  const listening = server.address()
  const url =
    listening === null || typeof listening === 'string'
      ? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
      : urlOf(listening)
  // A service that listens everywhere is not found under that address.
  return url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//localhost:')
}
