import { describe, expect, it } from 'vitest'
import { platformDefinitions } from '../registry.ts'
import { readSources, type SourcesBody } from './named-sources.ts'
import { listedSources } from './source-kinds.ts'
import { testSourceKinds } from './testing.ts'

const read = (body: SourcesBody, platforms?: string[]) => readSources(body, testSourceKinds, platforms)
const detailsOf = (body: SourcesBody, platforms?: string[]) => {
  try {
    return read(body, platforms)
  } catch (error) {
    return (error as { extras: { details: unknown } }).extras.details
  }
}

describe('the sources of a body', () => {
  it('are normalised, and equal ones count once', () => {
    expect(read({ github: [' Ada/Engine ', 'ada/engine', 'ada/notes'], stackexchange: ['ux'] })).toEqual([
      { platform: 'github', source: 'ada/engine', path: 'sources.github[0]' },
      { platform: 'github', source: 'ada/notes', path: 'sources.github[2]' },
      { platform: 'stackexchange', source: 'ux', path: 'sources.stackexchange[0]' },
    ])
  })

  it('are refused for a platform that has none, by its name', () => {
    expect(detailsOf({ hackernews: ['ask'] })).toEqual([
      { path: 'sources.hackernews', message: 'a job can name sources of github, stackexchange' },
    ])
    expect(detailsOf({ constructor: ['x'] } as unknown as SourcesBody)).toMatchObject([{ path: 'sources.constructor' }])
  })

  it('are refused for a platform that is not of the job', () => {
    expect(detailsOf({ github: ['ada/engine'] }, ['stackexchange'])).toEqual([
      { path: 'sources.github', message: 'github is not one of the platforms of the job' },
    ])
  })

  it('are refused when a text names no source, with the form and an example', () => {
    expect(detailsOf({ github: ['ada/engine', 'https://github.com'] })).toEqual([
      { path: 'sources.github[1]', message: 'must be owner/repository, such as ada/engine' },
    ])
  })

  it('are at most 50 in all', () => {
    const kinds = new Map(Array.from({ length: 6 }, (_, index) => [`p${index}`, testSourceKinds.get('github')!]))
    const tenOf = (name: string) => [name, Array.from({ length: 10 }, (_, index) => `${name}/${index}`)] as const
    const body = (platforms: number) => Object.fromEntries([...kinds.keys()].slice(0, platforms).map(tenOf))
    expect(readSources(body(5), kinds, undefined)).toHaveLength(50)
    expect(() => readSources(body(6), kinds, undefined)).toThrow('sources: must not have more than 50 sources.')
  })
})

describe('the sources that the operator lists', () => {
  it('are the items of the lists of a platform, normalised, and none where it has no list', () => {
    const environment = { STACKEXCHANGE_SITES: 'ux, meta,Not A Site', GITHUB_TOKEN: 'ada/engine' }
    const listed = listedSources(platformDefinitions, testSourceKinds, environment)
    expect(listed).toEqual(
      new Map([
        ['github', new Set()],
        ['stackexchange', new Set(['ux', 'meta'])],
      ]),
    )
  })
})
