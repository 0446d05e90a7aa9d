import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { readAllowedPosts } from '../../scripts/allowed-posts.ts'
import { corpora, hasCorpora, readForumLabels } from '../../scripts/detection/corpora.ts'

test('of the corpus of posts the lines are left out that are kept for acceptance', () => {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-posts-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'posts.jsonl.gz')
  // U+2028 ends no line.
  const lines = Array.from({ length: 10 }, (_, number) => `{"number":${number},"text":"\u2028"}`)
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n`))
  const numbers = readAllowedPosts(file).map((line) => JSON.parse(line).number)
  expect(numbers).toEqual([0, 1, 2, 4, 5, 6, 7, 9])
})

test('nothing reads the corpus of posts in another way', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const files = globSync(['src/**/*.ts', 'simulator/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts', 'test/**/*.ts'], {
    cwd: root,
  })
  const naming = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('reddit-posts'))
  expect(naming.length).toBeGreaterThan(4)
  for (const file of naming)
    expect({ file, text: readFileSync(join(root, file), 'utf8') }).toMatchObject({
      file,
      text: expect.stringContaining('readAllowedPosts('),
    })
})

const labels = readForumLabels()

test('at least 2,000 posts were labelled by two readers, each post has one label, and no text is stored', () => {
  expect(labels.filter(({ second }) => second !== undefined).length).toBeGreaterThanOrEqual(2_000)
  expect(new Set(labels.map(({ id }) => id)).size).toBe(labels.length)
  for (const label of labels) {
    const { second: _, ...keys } = label
    expect(Object.keys(keys).sort()).toEqual(['first', 'id', 'label', 'stratum'])
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
