import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { demoSettings } from './environment.ts'

const parts = {
  directory: '/of-the-demo',
  platforms: { GITHUB_API_URL: 'http://127.0.0.1:1/github' },
  smtpUrl: 'smtp://127.0.0.1:2525',
}
const settingsFor = (caller: Record<string, string>) => demoSettings(caller, parts)

describe('the settings of the demo', () => {
  it.each<[Record<string, string>, Record<string, unknown>]>([
    [{}, { dataDir: '/of-the-demo', host: '127.0.0.1' }],
    [
      { PORT: '4999', LOG_LEVEL: 'debug' },
      { port: 4_999, logLevel: 'debug', publicUrl: 'http://127.0.0.1:4999' },
    ],
    [{ PORT: '4999', HOST: '::1' }, { publicUrl: 'http://[::1]:4999' }],
    [{ PORT: '4999', HOST: '0.0.0.0', ALLOW_PLAIN_HTTP: 'true' }, { publicUrl: 'http://localhost:4999' }],
    [{ PUBLIC_URL: 'https://wishes.example' }, { publicUrl: 'https://wishes.example' }],
    [
      { https_proxy: 'http://proxy.example:8080' },
      { proxies: expect.objectContaining({ httpsProxy: 'http://proxy.example:8080' }) },
    ],
    [
      { SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'a@mail.example' },
      { mail: expect.objectContaining({ server: expect.objectContaining({ host: 'mail.example' }) }) },
    ],
    [
      { ROLE: 'worker', BOOTSTRAP_TIER: 'free' },
      { role: 'all', bootstrapTier: 'max' },
    ],
  ])('are those of %j, and the rest is its own', async (caller, expected) => {
    const { environment } = await settingsFor(caller)
    expect(readConfig(environment)).toMatchObject(expected)
  })

  it('choose a port where none is given, and never that of the metrics', async () => {
    const { environment } = await settingsFor({ PORT: '0', METRICS_PORT: '4680' })
    expect(Number(environment.PORT)).toBeGreaterThan(0)
    expect(environment.PORT).not.toBe('4680')
    expect(environment.PUBLIC_URL).toBe(`http://127.0.0.1:${environment.PORT}`)
  })

  it('have nothing of real platforms, and name what is not used', async () => {
    const caller = {
      GITHUB_TOKEN: 'real',
      GITHUB_API_URL: 'https://api.github.com',
      PLATFORMS: 'github',
      LOG_LEVEL: 'warn',
    }
    const { environment, notUsed } = await settingsFor(caller)
    expect(environment).toMatchObject({ GITHUB_TOKEN: 'demo', ...parts.platforms })
    expect(environment).not.toHaveProperty('PLATFORMS')
    expect(notUsed.sort()).toEqual(['GITHUB_API_URL', 'GITHUB_TOKEN', 'PLATFORMS'])
  })

  it('refuse a directory that is not empty', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'wishwell-other-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    await expect(settingsFor({ DATA_DIR: directory })).resolves.toBeDefined()
    writeFileSync(join(directory, 'file'), '')
    await expect(settingsFor({ DATA_DIR: directory })).rejects.toThrow(`DATA_DIR (${directory}) is not empty`)
  })
})
