import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { childEnvironment } from '../../test/child-environment.ts'

// Takes seconds: each command is a process.

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
/** Prints the address of every module that is loaded. */
const recorder = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context) } })
  process.on('exit', () => console.error(urls.join('\\n')))
`)}`

/** The packages that a command loads. */
function packagesOf(...parameters: string[]): string[] {
  const flags = ['--disable-warning=ExperimentalWarning', '--import', recorder]
  const env = { ...childEnvironment, WISHWELL_URL: 'http://127.0.0.1:1', WISHWELL_API_KEY: `ww_live_${'a'.repeat(32)}` }
  const { stderr } = spawnSync(process.execPath, [...flags, main, ...parameters], { env, encoding: 'utf8' })
  const names = [...stderr.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name = '']) => name)
  return [...new Set(names)]
}

/** What only the service needs; loading it takes a second. */
const ofService = ['kysely', 'typebox', 'fastify', 'pg-boss', '@electric-sql/pglite', 'undici', 'markdown-it']

describe('a command', () => {
  it.each([[['search', 'dark']], [['scrape', 'dark mode']], [['jobs', 'list']], [['admin', 'accounts', '--help']]])(
    '%j loads nothing of the service',
    (parameters) => {
      const packages = packagesOf(...parameters)
      expect(packages).toContain('commander')
      expect(packages.filter((name) => ofService.includes(name))).toEqual([])
    },
  )

  it('that calls the service as the operator loads no database', () => {
    const packages = packagesOf('admin', 'accounts', 'list')
    expect(
      packages.filter((name) => ['kysely', 'fastify', 'pg-boss', '@electric-sql/pglite', 'markdown-it'].includes(name)),
    ).toEqual([])
  })
})
