import { expect, it } from 'vitest'
import { createAccountSlots } from './account-slots.ts'

it('limits each account by itself, and all accounts together', () => {
  const slots = createAccountSlots({ perAccount: 2, total: 3 })
  expect(slots.enter('ada')).toBeTypeOf('function')
  expect(slots.enter('ada')).toBeTypeOf('function')
  expect(slots.enter('ada')).toBe('account is full')
  expect(slots.enter('bob')).toBeTypeOf('function')
  expect(slots.enter('bob')).toBe('process is full')
})

it('frees a slot once, however often the function is called', () => {
  const slots = createAccountSlots({ perAccount: 1, total: 1 })
  const leave = slots.enter('ada')
  if (typeof leave === 'string') throw new Error(leave)
  leave()
  leave()
  expect(slots.enter('ada')).toBeTypeOf('function')
  expect(slots.enter('bob')).toBe('process is full')
})
