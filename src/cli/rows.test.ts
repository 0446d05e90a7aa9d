import { expect, it } from 'vitest'
import { formatRow, formatRows } from './output.ts'
import { countColumns } from './text.ts'

const id = '8f0c2a53-6f0e-4a55-9d37-2f3a1f5c9b1e'
const row = { title: 'a \x1b[31mlong\nname '.repeat(2), facts: ['two\tfacts', '', 'and one of none'], id }

it('a row begins with the title and ends with the whole id, without what a terminal would obey', () => {
  expect(formatRow(row)).toBe(`a long name a long name  two facts · and one of none  ${id}`)
  expect(formatRow({ title: 'only this', facts: [''], id: null })).toBe('only this')
})

it('rows are a line each in a pipe, and fit a terminal', () => {
  expect(formatRows([row, row], null)).toHaveLength(2)
  expect(formatRows([row], 120)).toHaveLength(1)
  const lines = formatRows([row], 80)
  expect(lines).toEqual(['a long name a long name', '  two facts · and one of none', `  ${id}`])
  expect(lines.every((line) => countColumns(line) <= 80)).toBe(true)
})
