import { openDatabase } from '../../src/database/open.ts'
import { preparePage } from '../../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../../src/requests/store/store.ts'
import { foldAllTopicCounts } from '../../src/requests/store/topic-counts.ts'
import { countTexts } from '../../src/requests/words/uncounted-texts.ts'
import { foundRequest } from '../scripted-platform.ts'

// Stores pages and folds what they changed, and kills itself after the first statement that contains a text. Started by
// interrupted-fold.nightly.test.ts, which sends the text and where the database is.

interface Order {
  databaseUrl: string | undefined
  dataDir: string
  dieAfter: string
}

async function run({ dieAfter, ...options }: Order): Promise<void> {
  const { database } = await openDatabase({
    ...options,
    onCrash: (error) => {
      throw error
    },
    onStatement: (statement) => {
      if (statement.includes(dieAfter)) process.kill(process.pid, 'SIGKILL')
    },
  })
  for (const title of ['Palette', 'Spectrum', 'Palette again']) {
    const requests = Array.from({ length: 20 }, (_, id) =>
      foundRequest(`${id}`, { title: `${title} ${id}`, tags: ['ui', title], votes: id + title.length }),
    )
    const prepared = await preparePage('github', { requests }, null)
    const page = { ...prepared, platform: 'github' as const, topic: 'folded', jobId: null, now: new Date() }
    await storePageAlone(database, page)
    await countTexts(database)
  }
  await foldAllTopicCounts(database)
  throw new Error(`no statement has: ${dieAfter}`)
}

process.once('message', (order: Order) => void run(order))
