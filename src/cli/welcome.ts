import type { Service } from '../app/service.ts'

type Started = Pick<Service, 'address' | 'firstApiKey' | 'signInUrl' | 'adminKeyLocation'>

/**
 * The text of a start. The key and the link are shown nowhere else.
 * @param isTerminal whether empty lines separate it from the log
 */
export function formatWelcome(service: Started, isTerminal: boolean): string[] {
  const { address, firstApiKey, signInUrl, adminKeyLocation } = service
  const lines = [`Wishwell is running${address === null ? ' as a worker' : ` at ${address}`}`]
  const add = (name: string, value: string) => lines.push(`  ${name.padEnd(10)} ${value}`)
  if (firstApiKey !== null) {
    add('API key:', firstApiKey)
    add('', '(shown only once)')
  }
  if (signInUrl !== null) {
    add('sign in:', signInUrl)
    add('', '(once, within 15 minutes; later: npx wishwell admin accounts link)')
  } else if (address !== null) {
    add('sign in:', 'npx wishwell admin accounts link   (creates a link that works once)')
  }
  add('admin key:', adminKeyLocation)
  if (address !== null) add('API:', `${address}/docs`)
  return isTerminal ? ['', ...lines, ''] : lines
}
