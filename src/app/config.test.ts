import { describe, expect, it } from 'vitest'
import { itemsOf } from '../platforms/definition.ts'
import { ConfigError } from '../runtime/config-error.ts'
import { environmentSchema, readConfig, settingsIn } from './config.ts'

const key = `ww_live_${'a1'.repeat(16)}`

const mail = { SMTP_URL: 'smtp://h', MAIL_FROM: 'a@example.org', PUBLIC_URL: 'https://w.example' }

describe('the configuration', () => {
  it('needs no setting at all', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 4680,
      dataDir: './data',
      role: 'all',
      databaseUrl: undefined,
    })
  })

  it('takes an empty variable for an absent one', () => {
    expect(settingsIn({ PORT: '', DATABASE_URL: ' ', PLATFORMS: '' })).toEqual({})
  })

  it('reads lists, once each, and the default platforms from those that are on', () => {
    const { platforms } = readConfig({ PLATFORMS: ' hackernews, github,github ', STACKEXCHANGE_SITES: 'meta, ux.meta' })
    expect(platforms).toMatchObject({
      enabled: ['hackernews', 'github'],
      defaults: ['hackernews', 'github'],
    })
    expect(itemsOf(platforms.environment.STACKEXCHANGE_SITES)).toEqual(['meta', 'ux.meta'])
    expect(readConfig({ DEFAULT_PLATFORMS: 'github' }).platforms.defaults).toEqual(['github'])
  })

  it('gives the model less time than the live call has for thinking', () => {
    const model = { AI_BASE_URL: 'https://h/v1', AI_MODEL: 'm', AI_TIMEOUT_MS: '60000' }
    expect(readConfig(model).expansion.model?.timeoutMs).toBe(6_000)
    expect(readConfig({ ...model, AI_TIMEOUT_MS: '3000' }).expansion.model?.timeoutMs).toBe(3_000)
    expect(readConfig({ ...model, LIVE_DEADLINE_SECONDS: '5' }).expansion.model?.timeoutMs).toBe(2_000)
  })

  it('has texts judged by the model only with a number a day', () => {
    const model = { AI_BASE_URL: 'https://h/v1', AI_MODEL: 'm' }
    expect(readConfig(model).judging).toBeNull()
    expect(
      readConfig({ ...model, AI_JUDGED_PER_DAY: '10', AI_JUDGED_EXCLUDED_PLATFORMS: 'reddit, x' }).judging,
    ).toMatchObject({
      perDay: 10,
      excludedPlatforms: ['reddit', 'x', 'import'],
      model: { name: 'm', timeoutMs: 4_000 },
    })
    expect(readConfig({ ...model, AI_PAIRS_PER_DAY: '5' }).judging).toMatchObject({ perDay: 0, pairsPerDay: 5 })
  })

  it('reads a duration with its unit, and without one in the unit of its name', () => {
    const of = (environment: Record<string, string>) => {
      const { topicTtlMs, liveDeadlineMs, jobTimeLimitMs, expansion, platforms } = readConfig({
        ...{ AI_BASE_URL: 'https://h/v1', AI_MODEL: 'm' },
        ...environment,
      })
      return [topicTtlMs, liveDeadlineMs, jobTimeLimitMs, expansion.model?.timeoutMs, platforms.retention.get('x')]
    }
    expect(of({})).toEqual([6 * 3_600_000, 15_000, 6 * 3_600_000, 4_000, 30])
    const bare = { TOPIC_TTL_MINUTES: '0', LIVE_DEADLINE_SECONDS: '30', JOB_TIME_LIMIT_MINUTES: '90' }
    expect(of({ ...bare, AI_TIMEOUT_MS: '250', RETENTION_DAYS: 'x:2' })).toEqual([0, 30_000, 5_400_000, 250, 2])
    const withUnits = { TOPIC_TTL_MINUTES: '7d', LIVE_DEADLINE_SECONDS: '1500ms', JOB_TIME_LIMIT_MINUTES: '6h' }
    expect(of({ ...withUnits, AI_TIMEOUT_MS: '500ms', RETENTION_DAYS: 'x:48h' })).toEqual([
      ...[7 * 86_400_000, 1_500, 6 * 3_600_000, 500],
      2,
    ])
    expect(() => readConfig({ JOB_TIME_LIMIT_MINUTES: '8d' })).toThrow(
      /^JOB_TIME_LIMIT_MINUTES: must be a duration from 1m to 7d, a whole number with ms, s, m, h or d; without a unit it is in minutes \(/,
    )
  })

  it.each([
    [{ TOPIC_TTL_MINUTES: '-1' }, 'TOPIC_TTL_MINUTES'],
    [{ TOPIC_TTL_MINUTES: '31d' }, 'TOPIC_TTL_MINUTES'],
    [{ LIVE_DEADLINE_SECONDS: '2m' }, 'LIVE_DEADLINE_SECONDS'],
    [{ LIVE_DEADLINE_SECONDS: '1.5s' }, 'LIVE_DEADLINE_SECONDS'],
    [{ LIVE_DEADLINE_SECONDS: '10 s' }, 'LIVE_DEADLINE_SECONDS'],
    [{ JOB_TIME_LIMIT_MINUTES: '1w' }, 'JOB_TIME_LIMIT_MINUTES'],
    [{ JOB_TIME_LIMIT_MINUTES: 'secret-value' }, 'JOB_TIME_LIMIT_MINUTES'],
    [{ RETENTION_DAYS: 'youtube:36h' }, 'RETENTION_DAYS'],
    [{ PORT: 'http' }, 'PORT'],
    [{ PORT: '65536' }, 'PORT'],
    [{ PORT: '1.5' }, 'PORT'],
    [{ ROLE: 'boss' }, 'ROLE'],
    [{ ROLE: 'worker' }, 'ROLE'],
    [{ SEARCH_ENGINE: 'lucene' }, 'SEARCH_ENGINE'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ BOOTSTRAP_API_KEY: 'secret-value' }, 'BOOTSTRAP_API_KEY'],
    [{ BOOTSTRAP_TIER: 'gold' }, 'BOOTSTRAP_TIER'],
    [{ ADMIN_API_KEY: 'secret-value' }, 'ADMIN_API_KEY'],
    [{ ADMIN_API_KEY: 'a secret-value with spaces' }, 'ADMIN_API_KEY'],
    [{ ADMIN_API_KEY: 'a-secret-value-of-\u00fc' }, 'ADMIN_API_KEY'],
    [{ DATABASE_URL: 'mysql://u:secret-value@h/d' }, 'DATABASE_URL'],
    [{ PLATFORMS: 'myspace' }, 'PLATFORMS'],
    [{ PLATFORMS: ',' }, 'PLATFORMS'],
    [{ PLATFORMS: 'github', DEFAULT_PLATFORMS: 'hackernews' }, 'DEFAULT_PLATFORMS'],
    [{ GITHUB_API_URL: 'ftp://secret-value' }, 'GITHUB_API_URL'],
    [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '0' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '0.0.0.0/0' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '127.0.0.1,' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '127.0.0.1,proxy.example' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '::1/64/2' }, 'TRUST_PROXY'],
    [{ GITHUB_API_URL: 'http://[' }, 'GITHUB_API_URL'],
    [{ HACKERNEWS_API_URL: 'http://x:99999' }, 'HACKERNEWS_API_URL'],
    [{ STACKEXCHANGE_SITES: ',' }, 'STACKEXCHANGE_SITES'],
    [{ AI_BASE_URL: 'ftp://secret-value', AI_MODEL: 'm' }, 'AI_BASE_URL'],
    [{ AI_BASE_URL: 'https://[', AI_MODEL: 'm' }, 'AI_BASE_URL'],
    [{ AI_BASE_URL: 'https://u:secret-value@h/v1', AI_MODEL: 'm' }, 'AI_BASE_URL'],
    [{ AI_BASE_URL: 'https://h/v1' }, 'AI_MODEL'],
    [{ AI_MODEL: 'secret-value' }, 'AI_MODEL'],
    [{ AI_API_KEY: 'secret-value' }, 'AI_API_KEY'],
    [{ AI_BASE_URL: 'https://h/v1', AI_MODEL: 'm', AI_API_KEY: 'secret value' }, 'AI_API_KEY'],
    [{ AI_TIMEOUT_MS: '0' }, 'AI_TIMEOUT_MS'],
    [{ AI_MAX_TOKENS: '1' }, 'AI_MAX_TOKENS'],
    [{ AI_JUDGED_PER_DAY: '10' }, 'AI_JUDGED_PER_DAY'],
    [{ AI_PAIRS_PER_DAY: '10' }, 'AI_PAIRS_PER_DAY'],
    [{ AI_JUDGED_PER_DAY: '-1' }, 'AI_JUDGED_PER_DAY'],
    [{ AI_JUDGED_EXCLUDED_PLATFORMS: 'redit' }, 'AI_JUDGED_EXCLUDED_PLATFORMS'],
    [{ PUBLIC_URL: 'secret-value' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'ftp://secret-value' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://h/secret-value' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://h?secret-value' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://h/#' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://u:secret-value@h' }, 'PUBLIC_URL'],
    [{ ALLOW_PLAIN_HTTP: 'yes' }, 'ALLOW_PLAIN_HTTP'],
    [{ ...mail, SMTP_URL: 'http://secret-value' }, 'SMTP_URL'],
    [{ ...mail, SMTP_URL: 'smtp://u:secret-value@h/path' }, 'SMTP_URL'],
    [{ ...mail, SMTP_URL: 'smtp://u:secret-value@h?tls=no' }, 'SMTP_URL'],
    [{ ...mail, SMTP_URL: 'smtps://u:secret-value@h?tls=off' }, 'SMTP_URL'],
    [{ ...mail, SMTP_URL: 'smtp://secret-value@h' }, 'SMTP_URL'],
    [{ ...mail, SMTP_URL: 'smtp://u:secret-value%0d%0a@h' }, 'SMTP_URL'],
    [{ ...mail, SMTP_URL: 'smtp://u:secret-value%zz@h' }, 'SMTP_URL'],
    [{ ...mail, SMTP_URL: 'smtp://secret-value_h' }, 'SMTP_URL'],
    [{ ...mail, PUBLIC_URL: '' }, 'SMTP_URL'],
    [{ ...mail, SMTP_URL: '' }, 'MAIL_FROM'],
    [{ ...mail, MAIL_FROM: '' }, 'MAIL_FROM'],
    [{ ...mail, MAIL_FROM: 'secret-value' }, 'MAIL_FROM'],
    [{ ...mail, MAIL_FROM: 'A\r\nX: secret-value <a@example.org>' }, 'MAIL_FROM'],
    [{ ...mail, MAIL_FROM: 'a@example.org, secret-value@example.org' }, 'MAIL_FROM'],
    [{ REMOVAL_CONTACT: 'secret-value' }, 'REMOVAL_CONTACT'],
    [{ REMOVAL_CONTACT: 'javascript:secret-value' }, 'REMOVAL_CONTACT'],
    [{ REMOVAL_CONTACT: 'a@example.org\r\nX-Evil: secret-value' }, 'REMOVAL_CONTACT'],
    [{ REMOVAL_CONTACT: 'a@example.org) secret-value (' }, 'REMOVAL_CONTACT'],
    [{ REMOVAL_CONTACT: 'ä@example.org' }, 'REMOVAL_CONTACT'],
    [{ REMOVAL_CONTACT: 'https://u:secret-value@h' }, 'REMOVAL_CONTACT'],
    [{ RETENTION_DAYS: 'myspace:30' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'youtube' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'youtube:' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'youtube:0' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'youtube:-1' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'youtube:1.5' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'youtube:10000' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'youtube:30 days' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'secret-value' }, 'RETENTION_DAYS'],
    [{ RETENTION_DAYS: 'youtube:30,youtube:10' }, 'RETENTION_DAYS'],
  ])('refuses %j, names the variable and shows no value', (environment, variable) => {
    const read = () => readConfig(environment as Record<string, string>)
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(variable)
    expect(read).not.toThrow(/secret-value/)
  })

  const variables = Object.keys(environmentSchema.properties)
  const messageOf = (environment: Record<string, string>): string => {
    try {
      readConfig(environment)
      return ''
    } catch (error) {
      return String(error)
    }
  }

  it.each(variables)('shows nothing of a secret that was given to %s by mistake', (name) => {
    for (const value of ['S3CRET', 'github,S3CRET', '{"S3CRET":1}', '{"plans":{"S3CRET":{}}}', 'x:S3CRET', 'S3CRET/..'])
      expect(messageOf({ [name]: value })).not.toContain('S3CRET')
    expect(
      messageOf({ AI_JUDGED_PER_DAY: '1', AI_BASE_URL: 'https://h', AI_MODEL: 'm', [name]: 'S3CRET' }),
    ).not.toContain('S3CRET')
  })

  it.each(variables.filter((name) => /_URLS?$|_ISSUER$|_CONTACT$|_PROXY$/.test(name) && name !== 'NO_PROXY'))(
    'takes a password in %s only where one is sent, and never shows it',
    (name) => {
      const takesOne = ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'SEARCH_URL', 'SMTP_URL', 'HTTP_PROXY', 'HTTPS_PROXY']
      for (const [scheme, path] of [
        ['https', ''],
        ['https', '/x'],
        ['postgres', '/d'],
        ['smtp', ''],
      ]) {
        for (const userinfo of ['ada:S3CRET', ':S3CRET', 'S3CRET', 'S3CRET:']) {
          const value = `${scheme}://${userinfo}@h.example${path}`
          const given = {
            ...mail,
            DATABASE_URL: 'postgres://h/d',
            AI_BASE_URL: 'https://h',
            AI_MODEL: 'm',
            [name]: value,
          }
          const message = messageOf(given)
          expect(message).not.toContain('S3CRET')
          if (!takesOne.includes(name)) expect([value, message]).toEqual([value, expect.stringContaining(name)])
        }
      }
    },
  )

  it.each([
    [undefined, undefined],
    ['2', 2],
    ['127.0.0.1', ['127.0.0.1']],
    ['10.0.0.0/8, ::1, fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
  ])('reads the trusted proxies %j', (TRUST_PROXY, proxies) => {
    expect(readConfig({ TRUST_PROXY }).trustProxy).toEqual(proxies)
  })

  it.each([
    [undefined, { youtube: 30, reddit: 30, x: 30 }],
    ['github:365', { youtube: 30, reddit: 30, x: 30, github: 365 }],
    [' reddit : 2 , x:none ', { youtube: 30, reddit: 2 }],
    ['youtube:none,reddit:none,x:none', {}],
  ])('reads the retention %j: what is not named keeps its default', (RETENTION_DAYS, retention) => {
    expect(Object.fromEntries(readConfig({ RETENTION_DAYS }).platforms.retention)).toEqual(retention)
  })

  it('takes an address without a path for links, and an e-mail or web address for authors', () => {
    expect(readConfig({ PUBLIC_URL: 'https://Wishwell.example:443/' }).publicUrl).toBe('https://wishwell.example')
    expect(readConfig({ PUBLIC_URL: 'http://[::1]:80' }).publicUrl).toBe('http://[::1]')
    expect(readConfig({ REMOVAL_CONTACT: 'a+b&c@example.org' }).removalContact).toEqual({
      text: 'a+b&c@example.org',
      href: 'mailto:a%2Bb%26c@example.org',
    })
    // What ends a line or is no ASCII is encoded as in any address.
    const { removalContact } = readConfig({ REMOVAL_CONTACT: 'https://bücher.example/weg\r\nX: y?(ä)' })
    expect(removalContact?.text).toBe('https://xn--bcher-kva.example/wegX:%20y?%28%C3%A4%29')
  })

  it.each([
    ['smtp://mail.example', { host: 'mail.example', port: 587, encryption: 'starttls', verifiesCertificate: true }],
    ['smtp://u:p%40%3A@mail.example:25', { port: 25, user: 'u', password: 'p@:' }],
    ['smtps://mail.example', { port: 465, encryption: 'tls', verifiesCertificate: true }],
    ['smtp://10.0.0.1:25/?tls=off', { host: '10.0.0.1', encryption: 'off' }],
    ['smtp://127.0.0.1:1025', { encryption: 'local', verifiesCertificate: false }],
    ['smtp://[::1]', { host: '::1', encryption: 'local' }],
    ['smtp://127.0.0.1.evil.example', { encryption: 'starttls', verifiesCertificate: true }],
  ])('reads the mail server %s', (SMTP_URL, server) => {
    expect(readConfig({ ...mail, SMTP_URL }).mail?.server).toMatchObject(server)
  })

  it('reads the sender of mails, and sends none without a server', () => {
    expect(readConfig({}).mail).toBeNull()
    expect(readConfig({ ...mail, MAIL_FROM: '"Wünsche" <news@Bücher.example>' }).mail?.from).toEqual({
      name: 'Wünsche',
      address: 'news@xn--bcher-kva.example',
      domain: 'xn--bcher-kva.example',
    })
    expect(readConfig(mail).mail?.from.name).toBe('Wishwell')
  })

  it('takes good keys and a Postgres', () => {
    const config = readConfig({
      BOOTSTRAP_API_KEY: key,
      ADMIN_API_KEY: 'sixteen-letters-x',
      DATABASE_URL: 'postgresql://h/d',
      ROLE: 'worker',
    })
    expect(config).toMatchObject({ bootstrapApiKey: key, role: 'worker', databaseUrl: 'postgresql://h/d' })
  })
})
