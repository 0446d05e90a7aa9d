import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { mutations } from './mutations.ts'

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

it.each(mutations)('what breaks "$guarantee" still stands once in its file', ({ guarantee, test, file, from, to }) => {
  expect(read(file).split(from), `${file} has it once`).toHaveLength(2)
  expect(to).not.toBe(from)
  expect(read(test)).toMatch(/^\/\/ Holds \(/m)
  expect(read(test)).toContain(`): ${guarantee}\n`)
})
