import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { childEnvironment } from '../../test/child-environment.ts'
import { startTestService, type TestService, testAdminKey } from '../../test/service.ts'

// What an operator and a user do about credits, on the command line of a running service.

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function wishwell(...parameters: string[]) {
  const environment = { WISHWELL_URL: service.url, WISHWELL_API_KEY: service.apiKey, ADMIN_API_KEY: testAdminKey }
  const child: ChildProcess = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...parameters], {
    env: { ...childEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const exitCode = await new Promise((resolve) => child.on('close', resolve))
  return { exitCode, stdout, stderr }
}

it('grants packs, limits their use, shows the remaining credits, and checks the ledger', async () => {
  const list = JSON.parse((await wishwell('admin', 'accounts', 'list', '--json')).stdout)
  const { accountId } = list.data.results[0]
  expect(await wishwell('admin', 'accounts', 'grant', accountId, 'starter')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('1,300 pay-as-you-go credits'),
  })
  // An operator whose answer was lost may try again.
  const again = ['admin', 'accounts', 'grant', accountId, 'standard', '--idempotency-key', 'payment-1', '--json']
  for (let call = 0; call < 2; call++) expect(JSON.parse((await wishwell(...again)).stdout).data.paygBalance).toBe(6600)
  expect(
    (await wishwell('admin', 'accounts', 'grant', accountId, 'starter', '--idempotency-key', 'zwölf')).exitCode,
  ).toBe(2)
  expect((await wishwell('admin', 'accounts', 'grant', accountId, 'huge')).exitCode).toBe(2)
  expect((await wishwell('admin', 'accounts', 'grant', 'nobody', 'starter')).exitCode).toBe(2)
  expect((await wishwell('admin', 'accounts', 'grant', crypto.randomUUID(), 'starter')).exitCode).toBe(1)
  expect((await wishwell('admin', 'accounts', 'set-cap', accountId, '50')).exitCode).toBe(0)
  expect((await wishwell('admin', 'accounts', 'set-cap', accountId, '-1')).exitCode).toBe(2)

  const usage = await wishwell('usage', '--days', '7')
  expect(usage.exitCode).toBe(0)
  expect(usage.stdout).toContain('0 of 15,000 used, 15,000 remaining')
  expect(usage.stdout).toContain('240 requests a minute')
  expect(usage.stdout).toContain('6,600 credits, at most 50 credits a month')
  expect(JSON.parse((await wishwell('usage', '--json')).stdout).data).toMatchObject({
    paygBalance: 6600,
    paygMonthlyCap: 50,
  })

  expect(await wishwell('admin', 'verify')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('The ledger is sound'),
  })
  await sql`update credit_balances set payg_balance = payg_balance + 1 where account_id = ${accountId}`.execute(
    service.database,
  )
  const wrong = await wishwell('admin', 'verify')
  expect(wrong).toMatchObject({ exitCode: 1, stdout: '' })
  expect(wrong.stderr).toContain(`account ${accountId}`)
  expect(wrong.stderr).toContain('is 6601, must be 6600')
  expect(JSON.parse((await wishwell('admin', 'verify', '--json')).stdout).data.differences).toHaveLength(1)
})
