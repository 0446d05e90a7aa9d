import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ownCheckout = fileURLToPath(new URL('..', import.meta.url))

interface Memory {
  resident: number
  peak: number
}

/** The memory of a process as the kernel counts it, in megabytes; null when it has ended. */
function memoryOf(processId: number): Memory | null {
  try {
    const status = readFileSync(`/proc/${processId}/status`, 'utf8')
    const megabytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
    const memory = { resident: megabytes('VmRSS'), peak: megabytes('VmHWM') }
    // A process that has ended but was not reaped by its parent has no such figures.
    return Number.isNaN(memory.resident) ? null : memory
  } catch {
    return null
  }
}

function childrenOf(processId: number): number[] {
  try {
    return readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number)
  } catch {
    return []
  }
}

const treeOf = (processId: number): number[] => [processId, ...childrenOf(processId).flatMap(treeOf)]

/**
 * Starts the service of a checkout by its launcher, as users do. Linux only (/proc).
 * @param group of `createMemoryGroup`: the launcher enters it, with all that it starts.
 */
export async function startLaunchedService(
  environment: Record<string, string>,
  checkout = ownCheckout,
  group = '/dev/null',
) {
  const launch = [process.execPath, join(checkout, 'bin/wishwell.mjs'), 'serve']
  const child: ChildProcess = spawn('sh', ['-c', 'echo $$ > "$0" && exec "$@"', group, ...launch], {
    env: {
      PATH: process.env.PATH,
      ...environment,
      PORT: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const launcherId = child.pid ?? 0
  let peakOfAll = 0
  const watch = setInterval(() => {
    const all = treeOf(launcherId).reduce((sum, one) => sum + (memoryOf(one)?.resident ?? 0), 0)
    peakOfAll = Math.max(peakOfAll, all)
  }, 50)
  let printed = ''
  child.stdout?.setEncoding('utf8')
  const ended = once(child, 'exit').then(() => {
    throw new Error('the service ended at its start')
  })
  while (!/running at \S+\s/.test(printed)) {
    printed += (await Promise.race([once(child.stdout!, 'data'), ended]))[0]
  }
  ended.catch(() => {})
  const [serviceId] = childrenOf(launcherId)
  if (serviceId === undefined) throw new Error('the launcher has no child')
  const read = (processId: number) => {
    const memory = memoryOf(processId)
    if (memory === null) throw new Error('the service has ended')
    return memory
  }
  return {
    url: /running at (http\S+)/.exec(printed)?.[1] ?? '',
    serviceId,
    service: () => read(serviceId),
    launcher: () => read(launcherId),
    /** The maximum so far of the launcher, the service and its child processes together, in megabytes. */
    peakOfAll: () => peakOfAll,
    stop: async () => {
      clearInterval(watch)
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
