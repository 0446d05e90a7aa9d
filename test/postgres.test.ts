import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

// Where tests of the Postgres backend fail, the whole run must fail.
it('a process that used the test Postgres keeps its exit code', async () => {
  const program = `
    import { startPostgres } from ${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)}
    const server = await startPostgres()
    await server.stop()
    process.exitCode = 7`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module']
  const child = spawn(process.execPath, [...flags, '--eval', program], { stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([7, null])
})
