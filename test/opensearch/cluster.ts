import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// A real OpenSearch of two nodes, each a process of its own, from the packages of Maven Central.

const here = fileURLToPath(new URL('.', import.meta.url))
/** Not in the repository; `prepareOpenSearch` fills it. */
const prepared = join(here, 'target')
const jars = join(prepared, 'jars')
const classes = join(prepared, 'classes')

/** Runs a program. @returns false when it is not installed or fails. */
function succeeds(program: string, parameters: string[], timeout: number): boolean {
  try {
    execFileSync(program, parameters, { cwd: here, stdio: 'ignore', timeout })
    return true
  } catch {
    return false
  }
}

export const isOpenSearchPrepared = (): boolean => existsSync(jars) && existsSync(classes)

/**
 * Downloads OpenSearch (53 MB) and compiles the class that starts a node, unless both are there.
 * @returns why it is not possible here; null when it is ready.
 */
export function prepareOpenSearch(): string | null {
  if (isOpenSearchPrepared()) return null
  if (!succeeds('java', ['-version'], 30_000)) return 'there is no Java'
  if (!succeeds('mvn', ['-version'], 30_000)) return 'there is no Maven'
  mkdirSync(prepared, { recursive: true })
  const incomplete = mkdtempSync(join(prepared, 'incomplete-'))
  try {
    const download = [
      '-q',
      '-B',
      '-f',
      'pom.xml',
      'dependency:copy-dependencies',
      `-DoutputDirectory=${incomplete}/jars`,
    ]
    if (!succeeds('mvn', download, 600_000)) return 'Maven cannot download OpenSearch'
    const compile = ['-cp', `${incomplete}/jars/*`, '-d', `${incomplete}/classes`, 'java/OpenSearchNode.java']
    if (!succeeds('javac', compile, 120_000)) return 'there is no Java compiler'
    // One of two runs at a time may be first.
    if (!existsSync(jars)) renameSync(join(incomplete, 'jars'), jars)
    if (!existsSync(classes)) renameSync(join(incomplete, 'classes'), classes)
    return null
  } finally {
    rmSync(incomplete, { recursive: true, force: true })
  }
}

interface Ports {
  http: number
  transport: number
}

interface Node {
  child: ChildProcess
  ports: Ports
}

const unknownPorts: Ports = { http: 0, transport: 0 }

/** Starts a node and waits until it listens. @param seed the other node; without it this one manages the cluster. */
async function startNode(directory: string, name: string, ports: Ports, seed: Ports | null): Promise<Node> {
  const parameters = [name, join(directory, name), String(ports.http), String(ports.transport)]
  if (seed !== null) parameters.push(`127.0.0.1:${seed.transport}`)
  const child = spawn(
    'java',
    ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC', '-cp', `${classes}:${jars}/*`, 'OpenSearchNode', ...parameters],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  )
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{')) return { child, ports: JSON.parse(line) }
  }
  throw new Error(`the OpenSearch node ${name} did not start`)
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))

export interface OpenSearchCluster {
  /** The addresses of both nodes, for `SEARCH_URL`. */
  url: string
  /** Ends a node as `kill -9` does. The second one holds data only: the cluster goes on without it. */
  kill(node: 0 | 1): Promise<void>
  /** Lets a node stand still, or go on. */
  signal(node: 0 | 1, signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Starts a node that was killed, at its address and on its files. */
  start(node: 0 | 1): Promise<void>
  /** Waits until the cluster has so many nodes and all copies of its shards. */
  waitForNodes(nodes: 1 | 2): Promise<void>
  stop(): Promise<void>
}

/** Starts a cluster of two nodes. `prepareOpenSearch` must have made it possible. */
export async function startOpenSearch(): Promise<OpenSearchCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-opensearch-'))
  const first = await startNode(directory, 'first', unknownPorts, null)
  const nodes: [Node, Node] = [first, await startNode(directory, 'second', unknownPorts, first.ports)]
  const urls = nodes.map(({ ports }) => `http://127.0.0.1:${ports.http}`)
  const kill = async (number: 0 | 1) => {
    const { child } = nodes[number]
    child.kill('SIGKILL')
    await ended(child)
  }
  return {
    url: urls.join(','),
    kill,
    signal: (number, signal) => {
      nodes[number].child.kill(signal)
    },
    start: async (number) => {
      const [{ ports }, other] = number === 0 ? nodes : [nodes[1], nodes[0]]
      nodes[number] = await startNode(
        directory,
        number === 0 ? 'first' : 'second',
        ports,
        number === 0 ? null : other.ports,
      )
    },
    waitForNodes: async (count) => {
      const query = `wait_for_nodes=${count}&wait_for_status=${count === 2 ? 'green' : 'yellow'}&timeout=60s`
      const response = await fetch(`${urls[0]}/_cluster/health?${query}`)
      if (!response.ok) throw new Error(`the cluster has no ${count} nodes: ${await response.text()}`)
    },
    stop: async () => {
      await Promise.all(nodes.map((_node, number) => kill(number as 0 | 1)))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
