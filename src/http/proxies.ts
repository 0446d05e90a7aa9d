import { isIP } from 'node:net'

/** The proxies in front whose forwarded addresses count: their addresses and networks, or how many there are. */
export type Proxies = string[] | number

/** An address, or a network of one or more bits: a prefix of 0 would trust everybody. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

/** Reads a comma list of addresses and networks, or a number from 1 to 99; null when it is neither. */
export function parseProxies(text: string): Proxies | null {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  const networks = text.split(',').map((network) => network.trim())
  return networks.every(isNetwork) ? networks : null
}

/** For Fastify, which by itself takes a number for none at all: it cannot tell a proxy from a caller who forges the header. */
export const trustProxyOption = (proxies: Proxies | undefined) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : (proxies ?? false)
