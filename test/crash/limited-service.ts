import { writeFileSync } from 'node:fs'

// The service in a group of processes with a limit of memory (memory-group.ts).

writeFileSync(process.env.MEMORY_GROUP!, String(process.pid))
process.argv.splice(2, Number.POSITIVE_INFINITY, 'serve')
await import('../../src/main.ts')
