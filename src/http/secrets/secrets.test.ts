import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { DataDirectoryError } from '../../database/embedded/data-directory-error.ts'
import { createSecrets, UnknownKeyError, UnreadableSecretError } from './secrets.ts'
import { loadSecrets } from './secrets-key.ts'

// Holds (Watches, news and channels): no channel's secret is stored open, shown again, or in a backup or dump

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

describe('a sealed secret', () => {
  it('opens for what it belongs to, and shows nothing of itself', () => {
    const secrets = createSecrets([newKey])
    const sealed = secrets.seal('https://hooks.example/ü', 'channel 1')
    expect(secrets.open(sealed, 'channel 1')).toBe('https://hooks.example/ü')
    expect(sealed).not.toContain('hooks')
    expect(secrets.seal('same', 'x')).not.toBe(secrets.seal('same', 'x'))
  })

  it('does not open for something else, changed, cut, or without its key', () => {
    const secrets = createSecrets([newKey])
    const sealed = secrets.seal('text', 'channel 1')
    const changed = `${sealed.slice(0, -4)}${sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    for (const [text, of] of [
      [sealed, 'channel 2'],
      [changed, 'channel 1'],
      [sealed.slice(0, 30), 'channel 1'],
      ['', 'channel 1'],
      ['nonsense', 'channel 1'],
    ] as const) {
      expect(() => secrets.open(text, of)).toThrow(UnreadableSecretError)
    }
    expect(() => secrets.open(changed, 'channel 1')).not.toThrow(UnknownKeyError)
    expect(() => createSecrets([oldKey]).open(sealed, 'channel 1')).toThrow(UnknownKeyError)
    expect(() => createSecrets([]).open(sealed, 'channel 1')).toThrow(UnknownKeyError)
  })

  it('opens after a rotation, and what is sealed then has the new key', () => {
    const sealed = createSecrets([oldKey]).seal('text', 'x')
    const rotated = createSecrets([newKey, oldKey])
    expect(rotated.open(sealed, 'x')).toBe('text')
    expect(sealed.startsWith(rotated.currentPrefix!)).toBe(false)
    const again = rotated.seal('text', 'x')
    expect(again.startsWith(rotated.currentPrefix!)).toBe(true)
    expect(createSecrets([newKey]).open(again, 'x')).toBe('text')
  })

  it('cannot be made without a key', () => {
    expect(() => createSecrets([]).seal('text', 'x')).toThrow(/SECRETS_KEY/)
  })
})

describe('the key', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'wishwell-secrets-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
  const file = () => join(dataDir, 'secrets-key')
  const load = (secretsKeys?: Buffer[]) => loadSecrets({ secretsKeys, databaseUrl: undefined, dataDir })

  it('of an embedded database is made once, for this user alone', () => {
    const sealed = load().seal('text', 'x')
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    chmodSync(file(), 0o644)
    expect(load().open(sealed, 'x')).toBe('text')
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it('is refused as a link, and is never overwritten', () => {
    writeFileSync(join(dataDir, 'elsewhere'), `${randomBytes(32).toString('base64')}\n`)
    symlinkSync(join(dataDir, 'elsewhere'), file())
    expect(() => load()).toThrow(DataDirectoryError)
    rmSync(file())
    symlinkSync(join(dataDir, 'nowhere'), file())
    expect(() => load()).toThrow(DataDirectoryError)
    rmSync(file())
    writeFileSync(file(), 'no key')
    expect(() => load()).toThrow(/holds no key/)
    expect(readFileSync(file(), 'utf8')).toBe('no key')
  })

  it('of the configuration goes before that of the directory, which still opens', () => {
    const sealed = load().seal('text', 'x')
    const both = load([newKey])
    expect(both.open(sealed, 'x')).toBe('text')
    expect(createSecrets([newKey]).open(both.seal('text', 'x'), 'x')).toBe('text')
  })

  it('is read from SECRETS_KEY, and an error never shows it', () => {
    const [one, two] = [newKey.toString('base64'), oldKey.toString('base64url')]
    expect(readConfig({ SECRETS_KEY: ` ${one}, ${two}` }).secretsKeys).toEqual([newKey, oldKey])
    for (const wrong of ['short', `${one},`, `${one}x`, `${one} ${two}`]) {
      const error = (() => {
        try {
          return readConfig({ SECRETS_KEY: wrong })
        } catch (thrown) {
          return thrown as Error
        }
      })()
      expect(error).toMatchObject({ message: expect.stringMatching(/^SECRETS_KEY: must be/) })
      expect((error as Error).message).not.toContain(wrong)
    }
  })
})
