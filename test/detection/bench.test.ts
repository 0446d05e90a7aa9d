import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const lines = [
  { title: 'Please add a dark mode', description: 'I wish there were one.', platform: 'github', tags: [], label: true },
  { title: 'It crashes', description: 'With an error, at the start.', platform: 'github', tags: [], label: false },
]
const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')

const measure = (file: string, input: string) => {
  const { perTextMs: _, ...figures } = JSON.parse(
    execFileSync(process.execPath, ['bench/detection.ts', '--labelled', file], { input, encoding: 'utf8' })
      .trim()
      .split('\n')
      .at(-1)!,
  )
  return figures
}

it('labelled texts of a file and of stdin have the same figures, in the last line', () => {
  const directory = mkdtempSync(join(tmpdir(), 'labelled-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'texts.jsonl')
  writeFileSync(file, text)
  const figures = measure(file, '')
  expect(Object.keys(figures)).toEqual(['precision', 'recall', 'f1', 'recallWithMaybe', 'threshold'])
  expect(measure('-', text)).toEqual(figures)
})
