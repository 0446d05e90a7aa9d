import type { AddressInfo, Server } from 'node:net'

/** Reads an address of a scheme, a host and optionally a port; null for any other text. */
export function parsePublicUrl(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  // Refuses also a bare ? or #, a path, a name and a password.
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
 * Whether links may be sent to others: with a configured address, and by the one process of an embedded database, which is for people on its machine. A process
 * beside others knows at most where it listens itself.
 */
export const hasLinksForOthers = (config: {
  publicUrl: string | undefined
  databaseUrl: string | undefined
}): boolean => config.publicUrl !== undefined || config.databaseUrl === undefined

/**
 * The address that links begin with: the configured one, else the one that the service listens on, or would. Never a value that
 * a caller sends: a link with a secret must not lead to the host of a forged `Host` header.
 */
export function publicUrlOf({ publicUrl, host, port }: PublicAddress, server: Server): string {
  if (publicUrl !== undefined) return publicUrl
  const listening = server.address()
  const url =
    listening === null || typeof listening === 'string'
      ? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
      : urlOf(listening)
  // The wildcard address is no address to connect to.
  return url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//localhost:')
}
