import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/database/open.ts'
import { foldAllTopicCounts } from '../../src/requests/store/topic-counts.ts'
import { countTexts } from '../../src/requests/words/uncounted-texts.ts'
import { vocabularyCounts } from '../../src/search/testing.ts'
import { findWrongCounts } from '../../src/wishes/topics/verify.ts'
import { childEnvironment } from '../child-environment.ts'
import { copyDatabase } from '../database.ts'

const program = fileURLToPath(new URL('dying-fold.ts', import.meta.url))

it.each([
  ['after differences were appended', 'insert into uncounted_texts'],
  ['between the changed words and their fold', 'insert into word_deltas'],
  ['in the fold of words', 'insert into search_words'],
  ['in the fold of topics', 'fold_topic_deltas'],
])('kill -9 %s: nothing is lost or doubled', { timeout: 120_000 }, async (_when, dieAfter) => {
  const copy = await copyDatabase()
  onTestFinished(() => copy.remove())
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const child = fork(program, { env: childEnvironment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  child.send({ ...copy.options, dieAfter })
  expect((await ended)[1]).toBe('SIGKILL')

  const { database, close } = await openDatabase({
    ...copy.options,
    onCrash: (error) => {
      throw error
    },
  })
  const expectExact = async () => {
    expect(await findWrongCounts(database)).toEqual([])
    const { stored, counted } = await vocabularyCounts(database)
    expect(stored).toEqual(counted)
  }
  await expectExact()
  await foldAllTopicCounts(database)
  await countTexts(database)
  await expectExact()
  await close()
})
