import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Checks that this process may listen at an address, before anything is made that a failed start would leave behind.
 * @throws the error of `listen`, such as EADDRINUSE, with its `port`.
 */
export async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer()
  server.listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}
