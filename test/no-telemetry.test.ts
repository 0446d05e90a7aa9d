import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startChildService } from './child-service.ts'

// Holds (HTTP and secrets): the service connects to nothing that its operator or its accounts did not name

/** Prints where each connection of the process and of its threads goes, before it is made. */
const watchConnections = `import net from 'node:net'
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...given) {
  const [options] = net._normalizeArgs(Array.isArray(given[0]) ? given[0] : given)
  process.stderr.write('connects to ' + (options.path ?? options.host) + '\\n')
  return connect.apply(this, given)
}`

it('a service that collects nothing makes no connection that leaves the machine', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-no-telemetry-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(watchConnections).toString('base64')}`
  const service = await startChildService({ DATA_DIR: dataDir, NODE_OPTIONS })
  for (const path of ['/', '/docs', '/openapi.json', '/readyz'])
    expect((await fetch(service.url + path)).status).toBe(200)
  expect(await service.end('SIGTERM')).toBe(0)
  const connections = [...service.stderr().matchAll(/^connects to (.*)$/gm)].map(([, to]) => to!)
  expect(connections.filter((to) => !/^(127\.|::1$|localhost$|\/)/.test(to))).toEqual([])
})
