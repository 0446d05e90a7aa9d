import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startChildService } from './child-service.ts'

// Holds (HTTP and secrets): the service connects only to what its operator or its accounts named

/** Prints where each connection of the process and of its threads goes, before it is made. */
const watchConnections = `const { writeSync } = require('node:fs')
const net = require('node:net')
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...given) {
  const [options] = net._normalizeArgs(Array.isArray(given[0]) ? given[0] : given)
  writeSync(2, 'connects to ' + (options.path ?? options.host) + '\\n')
  return connect.apply(this, given)
}
writeSync(2, 'watching\\n')`

it('a service that collects nothing makes no connection that leaves the machine', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-no-telemetry-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  // In every thread, as an `--import` is not.
  const watcher = join(directory, 'watcher.cjs')
  writeFileSync(watcher, watchConnections)
  const service = await startChildService({ DATA_DIR: join(directory, 'data'), NODE_OPTIONS: `--require=${watcher}` })
  for (const path of ['/', '/docs', '/openapi.json', '/readyz'])
    expect((await fetch(service.url + path)).status).toBe(200)
  expect(await service.end('SIGTERM')).toBe(0)
  expect(service.stderr()).toContain('watching\n')
  const connections = [...service.stderr().matchAll(/^connects to (.*)$/gm)].map(([, to]) => to!)
  expect(connections.filter((to) => !/^(127\.|::1$|localhost$|\/)/.test(to))).toEqual([])
})
