import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAllowedPosts } from '../../scripts/allowed-posts.ts'
import { corpora, hasCorpora, readForumLabels } from '../../scripts/detection/corpora.ts'

const labels = readForumLabels()

test('at least 2,000 posts are labelled, each once, and no text is stored', () => {
  expect(labels.length).toBeGreaterThanOrEqual(2_000)
  expect(new Set(labels.map(({ id }) => id)).size).toBe(labels.length)
  for (const label of labels) {
    expect(Object.keys(label).sort()).toEqual(['first', 'id', 'label', 'second', 'stratum'])
    expect(label.id).toMatch(/^[0-9a-z]{4,8}$/)
  }
})

if (!hasCorpora)
  console.log(`skipped: the corpora are not at ${corpora} (set WISHWELL_SHARED to the folder that holds them)`)

test.skipIf(!hasCorpora)('every labelled post is on a line that is not reserved for acceptance', () => {
  const missing = new Set(labels.map(({ id }) => id))
  for (const line of readAllowedPosts(join(corpora, 'reddit-posts.jsonl.gz'))) missing.delete(JSON.parse(line).id)
  expect([...missing]).toEqual([])
})
