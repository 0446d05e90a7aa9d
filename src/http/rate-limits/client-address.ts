import { isIP } from 'node:net'

/** The eight groups of an IPv6 address; `::` is filled up. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...start, ...Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0'), ...end]
}

/**
 * The client of an address: an IPv4 address, or a whole IPv6 /64, because one connection usually has that many addresses.
 * Text that is no address (a proxy that forwards nonsense) is one client for all.
 */
export function clientOf(address: string): string {
  const plain = (/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address).split('%', 1)[0] ?? ''
  const family = isIP(plain)
  if (family === 4) return plain
  if (family === 6) {
    const prefix = groupsOf(plain.toLowerCase()).slice(0, 4)
    return `${prefix.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
  }
  return 'unknown'
}
