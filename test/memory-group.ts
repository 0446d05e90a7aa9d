import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A group of processes that have so much memory together: the kernel kills what takes more. */
export interface MemoryGroup {
  /** A process that writes its id there is one of the group; memory that it had before does not count. */
  entry: string
  setLimit(bytes: number): void
  /** Once all of its processes have ended. */
  remove(): void
}

let made = 0

/** A control group of Linux, version 2 or 1; null where this process may make none. */
export function createMemoryGroup(limitBytes: number): MemoryGroup | null {
  const forms = [
    ['/sys/fs/cgroup', 'memory.max'],
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
  ] as const
  for (const [parent, limit] of forms) {
    const group = join(parent, `wishwell-${process.pid}-${++made}`)
    if (!existsSync(join(parent, 'cgroup.procs'))) continue
    try {
      mkdirSync(group)
      if (existsSync(join(group, limit))) {
        const setLimit = (bytes: number) => writeFileSync(join(group, limit), String(bytes))
        setLimit(limitBytes)
        return { entry: join(group, 'cgroup.procs'), setLimit, remove: () => rmdirSync(group) }
      }
      rmdirSync(group)
    } catch {
      // Not ours to make, or this version has another form.
    }
  }
  return null
}
