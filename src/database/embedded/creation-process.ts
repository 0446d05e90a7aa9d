import { openPglite } from './pglite.ts'

// Creates an empty database in the directory of the first argument, in a separate process (`creation.ts`).

process.on('disconnect', () => process.exit(1))
const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('creation-process.ts needs a directory')
const database = await openPglite(directory)
await database.close()
process.exit(0)
