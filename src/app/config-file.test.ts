import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConfigError } from '../runtime/config-error.ts'
import { readConfig, secretVariables } from './config.ts'

// Holds (HTTP and secrets): a settings file with secrets that every user can read stops the start

const key = `ww_live_${'a1'.repeat(16)}`

/** A function that writes files into a new folder and gives their names. */
function filesOf() {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-config-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return (name: string, text: string, mode = 0o600) => {
    const path = join(directory, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
}

/** The configuration without its limits of calls, which are functions. */
const comparable = (environment: Record<string, string>) => ({ ...readConfig(environment), requestLimits: null })

describe('settings in files', () => {
  it('reads every secret from a file instead, as container platforms mount them', () => {
    const write = filesOf()
    const values: Record<string, string> = {
      ADMIN_API_KEY: key,
      DATABASE_URL: 'postgres://u:p@h/d',
      GITHUB_TOKEN: 'ghp_1',
      ...{ SMTP_URL: 'smtp://u:p@h', MAIL_FROM: 'a@example.org', PUBLIC_URL: 'https://w.example' },
    }
    const inFiles = Object.entries(values).map(([name, value]) =>
      secretVariables.includes(name) ? [`${name}_FILE`, write(name, `${value}\n`)] : [name, value],
    )
    expect(inFiles.filter(([name]) => name!.endsWith('_FILE'))).toHaveLength(4)
    expect(comparable(Object.fromEntries(inFiles))).toEqual(comparable(values))
    const faults: [string, RegExp][] = [
      [`${write('token', 'ghp_1')}.none`, /^GITHUB_TOKEN_FILE: the file cannot be read \(ENOENT\)\.$/],
      [write('empty', ' \n'), /^GITHUB_TOKEN_FILE: the file is empty/],
      [write('large', 'x'.repeat(70_000)), /^GITHUB_TOKEN_FILE: the file is empty, or larger/],
    ]
    for (const [path, message] of faults) expect(() => readConfig({ GITHUB_TOKEN_FILE: path })).toThrow(message)
    const both = { GITHUB_TOKEN: 'ghp_1', GITHUB_TOKEN_FILE: write('token', 'ghp_2') }
    expect(() => readConfig(both)).toThrow(/^GITHUB_TOKEN: is given, and GITHUB_TOKEN_FILE, too\.$/)
  })

  it('reads a file of settings, and the environment before it', () => {
    const write = filesOf()
    const text = `\uFEFF# What this service is
PORT=4700            # a comment
export LOG_LEVEL = "warn"
PLATFORMS='github,
hackernews'
GITHUB_TOKEN=ghp_1
HTTPS_PROXY=http://proxy.example:1
TOPIC_TTL_MINUTES=2h
`
    const CONFIG_FILE = write('wishwell.env', text.replaceAll('\n', '\r\n'), 0o640)
    const values = { PORT: '4700', LOG_LEVEL: 'warn', PLATFORMS: 'github,hackernews', GITHUB_TOKEN: 'ghp_1' }
    const others = { HTTPS_PROXY: 'http://proxy.example:1', TOPIC_TTL_MINUTES: '2h' }
    expect(comparable({ CONFIG_FILE })).toEqual(comparable({ ...values, ...others }))
    const environment = { PORT: '4800', LOG_LEVEL: '', https_proxy: 'http://other.example:1' }
    const given = { ...environment, GITHUB_TOKEN_FILE: write('token', 'ghp_2') }
    expect(comparable({ CONFIG_FILE, ...given })).toEqual(
      comparable({ ...values, ...others, PORT: '4800', GITHUB_TOKEN: 'ghp_2', HTTPS_PROXY: 'http://other.example:1' }),
    )
    const named = write('with-files.env', `GITHUB_TOKEN_FILE=${write('token', 'ghp_3')}`, 0o644)
    expect(comparable({ CONFIG_FILE: named })).toEqual(comparable({ GITHUB_TOKEN: 'ghp_3' }))
  })

  it.each([
    [
      'PORT=4700\nPROT=4701\nGITHUB_TOKEN=secret-value\nnodes=1',
      /^CONFIG_FILE: has what is no setting: PROT, nodes\.$/,
    ],
    ['CONFIG_FILE=/etc/other', /^CONFIG_FILE: has what is no setting: CONFIG_FILE\.$/],
    ["PLATFORMS='github,\nx'\n\nPORT: secret-value", /^CONFIG_FILE: line 4 is neither NAME=value nor a comment\.$/],
    ['PORT=secret-value', /^PORT: must be integer/],
    ['GITHUB_TOKEN=secret-value\nGITHUB_TOKEN_FILE=/x', /^GITHUB_TOKEN: is given, and GITHUB_TOKEN_FILE, too\.$/],
    ['c2VjcmV0LXZhbHVl1==', /^CONFIG_FILE: has what is no setting: a name that is not shown\.$/],
    [' \n', /^CONFIG_FILE: the file is empty/],
  ])('refuses a file with %j, and shows no value', (text, message) => {
    const read = () => readConfig({ CONFIG_FILE: filesOf()('wishwell.env', text) })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(message)
    expect(read).not.toThrow(/secret-value/)
  })

  it('refuses a file with secrets that every user of the machine can read', () => {
    const write = filesOf()
    const text = 'GITHUB_TOKEN=ghp_1\nADMIN_API_KEY=0123456789abcdef\n'
    expect(() => readConfig({ CONFIG_FILE: write('open.env', text, 0o644) })).toThrow(
      /^CONFIG_FILE: every user .* holds ADMIN_API_KEY, GITHUB_TOKEN: take that right away \(chmod o-r\), or .* ADMIN_API_KEY_FILE\.$/,
    )
    expect(readConfig({ CONFIG_FILE: write('group.env', text, 0o640) }).adminApiKey).toBe('0123456789abcdef')
    expect(readConfig({ CONFIG_FILE: write('public.env', 'PORT=4700\nGITHUB_TOKEN=\n', 0o644) }).port).toBe(4700)
    for (const proxy of ['http://ada:secret@proxy.example:3128', 'ada:secret@proxy.example:3128'])
      expect(() => readConfig({ CONFIG_FILE: write('proxy.env', `HTTPS_PROXY=${proxy}`, 0o644) })).toThrow(
        /^CONFIG_FILE: every user .* holds HTTPS_PROXY: take that right away \(chmod o-r\)\.$/,
      )
    const addresses = ['SEARCH_URL=https://ada:secret@h.example', 'SEARCH_URL=https://token@h.example']
    const more = [
      'HTTP_PROXY=socks5h://:secret@proxy.example',
      'RSS_URLS=https://a.example/x,https://ada:se,cret@b.example',
    ]
    for (const line of [...addresses, ...more]) {
      const read = () => readConfig({ CONFIG_FILE: write('address.env', line, 0o644) })
      expect(read).toThrow(/^CONFIG_FILE: every user .* holds [A-Z_]+: take that right away \(chmod o-r\)/)
    }
    const plain = 'HTTPS_PROXY=http://proxy.example:3128\nRSS_URLS=https://a.example/@ada/feed,https://b.example:8443/x'
    expect(() => readConfig({ CONFIG_FILE: write('plain.env', plain, 0o644) })).not.toThrow()
  })
})
