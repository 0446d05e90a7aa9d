import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { countAll, overBudget } from '../scripts/check-budgets.ts'

it('the check of budgets names what is above its budget or has none', () => {
  const counts = { lines: { credits: 101, search: 7 }, calls: 135, tables: 3 }
  expect(overBudget(counts, { lines: { credits: 101, search: 7 }, calls: 135, tables: 3 })).toEqual([])
  expect(overBudget(counts, { lines: { credits: 100 }, calls: 134, tables: 4 })).toEqual([
    'lines: credits: 101, and the budget is 100',
    'lines: search: no budget',
    'calls: 135, and the budget is 134',
  ])
})

it('a file of 301 lines and a document are counted', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-budgets-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const [long, document] = [join(directory, 'long.ts'), join(directory, 'words.md')]
  writeFileSync(long, 'export {}\n'.repeat(301))
  writeFileSync(document, 'Four words,\n\n- of text\n')
  const { 'lines of a file': longest, 'words of documents': words, calls, commands } = await countAll([long, document])
  expect({ longest, words }).toEqual({ longest: 301, words: 5 })
  expect(calls).toBeGreaterThan(100)
  expect(commands).toBeGreaterThan(50)
})
