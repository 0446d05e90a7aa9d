import { describe, expect, it } from 'vitest'
import { simulate } from '../../simulator/testing.ts'
import { startCommand } from './command-testing.ts'

describe('wishwell sources apps', () => {
  const find = async (...parameters: string[]) => {
    const simulator = await simulate({ size: 8 })
    const place = ['--api-url', simulator.urls.appstore]
    const finished = await startCommand(['sources', 'apps', ...parameters, ...place]).finished
    return { ...finished, simulator }
  }

  it('shows each app with its seller, its ratings and its source', async () => {
    const { stdout, exitCode, simulator } = await find('larkspur')
    expect([stdout, exitCode]).toEqual(['Larkspur Notes  Larkspur Ltd. · 16 ratings  us/900000001\n', 0])
    expect(simulator.requests.map(({ path, query }) => [path, query])).toEqual([
      ['/search', { term: 'larkspur', country: 'us', entity: 'software', limit: '10' }],
    ])
  })

  it('asks the store of a country, and answers one object', async () => {
    const { stdout } = await find('larkspur', '--country', 'DE', '--limit', '3', '--json')
    expect(JSON.parse(stdout)).toEqual({
      apps: [{ source: 'de/900000002', name: 'Larkspur Karten', seller: 'Larkspur Ltd.', ratings: 16 }],
    })
  })

  it('fails where there is none, and asks nothing for what is no country', async () => {
    const none = await find('nothing like it')
    expect(none).toMatchObject({ exitCode: 1, stdout: '' })
    expect(none.stderr).toContain('There is no such app in that country.')
    const wrong = await find('larkspur', '--country', 'usa')
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' })
    expect(wrong.simulator.requests).toEqual([])
  })
})
