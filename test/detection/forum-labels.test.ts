import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { corpora, hasCorpora, readForumLabels } from '../../scripts/detection/corpora.ts'
import { reservedRemainder } from '../../scripts/detection/strata.ts'

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
  const lines = gunzipSync(readFileSync(join(corpora, 'reddit-posts.jsonl.gz')))
    .toString('utf8')
    .split('\n')
  for (const [number, line] of lines.entries()) {
    if (line !== '' && number % 5 !== reservedRemainder) missing.delete(JSON.parse(line).id)
  }
  expect([...missing]).toEqual([])
})
