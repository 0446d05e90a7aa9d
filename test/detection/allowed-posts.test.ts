import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { readAllowedPosts } from '../../scripts/allowed-posts.ts'

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
  const files = globSync(['src/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts', 'test/**/*.ts'], { cwd: root })
  const naming = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('reddit-posts'))
  expect(naming.length).toBeGreaterThan(4)
  for (const file of naming)
    expect({ file, text: readFileSync(join(root, file), 'utf8') }).toMatchObject({
      file,
      text: expect.stringContaining('readAllowedPosts('),
    })
})
