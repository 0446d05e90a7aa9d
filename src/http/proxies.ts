import { isIP } from 'node:net'

/** The proxies whose forwarded addresses are trusted: their addresses and networks, or their number. */
export type Proxies = string[] | number

/** An address, or a network of one or more bits: a prefix of 0 would trust every address. */
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

/** For Fastify, which would trust no address for a number: a number cannot distinguish a proxy from a caller that forges the header. */
export const trustProxyOption = (proxies: Proxies | undefined) =>
  typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : (proxies ?? false)
