import { openPglite } from './pglite.ts'

// Makes an empty database in the directory that the first argument names, in a process of its own (`creation.ts`).

process.on('disconnect', () => process.exit(1))
const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('creation-process.ts needs a directory')
const database = await openPglite(directory)
await database.close()
process.exit(0)
