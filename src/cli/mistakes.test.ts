import { describe, expect, it, vi } from 'vitest'
import { exitCodes } from './exit-codes.ts'
import { failure, startFakeService, testKey } from './fake-service-testing.ts'
import { createProgram, runProgram } from './program.ts'

// Holds (Command line): an unknown command is answered with the intended one, also by synonym or from another group
// Holds (Command line): no deleting, ending or sending command is suggested unless its group or name was typed
// Holds (Command line): refusals name the options of the command line and never repeat keys

/** What newcomers write, and what they mean. */
const mistakes: readonly [written: string, meant: string][] = [
  ['merge', 'wishes merge'],
  ['keys', 'admin keys'],
  ['doctor', 'admin healthcheck'],
  ['helth', 'admin healthcheck'],
  ['users', 'admin accounts'],
  ['token new', 'admin keys create'],
  ['brief make', 'brief create'],
  ['brief check evidence.md', 'brief verify'],
  ['watch list', 'watches list'],
  ['create watch', 'watches create'],
  ['watches add maps', 'watches create'],
  ['watches stop', 'watches pause'],
  ['channels new email me', 'channels create'],
  ['channel mute', 'channels update'],
  ['rm feed', 'feeds delete'],
  ['get jobs', 'jobs list'],
  ['jobs ls', 'jobs list'],
  ['jobs kill', 'jobs cancel'],
  ['wishes dedupe', 'wishes merge'],
  ['wishes get', 'wishes show'],
  ['find dark', 'search'],
  ['serach dark', 'search'],
  ['collect maps', 'scrape'],
  ['status', 'usage'],
  ['config', 'login'],
  ['start', 'serve'],
  ['issues', 'trackers'],
  ['rss', 'feeds'],
  ['upload', 'import'],
  ['export-data', 'export'],
  ['backup', 'admin backup'],
  ['admin user add', 'admin accounts create'],
  ['admin upgrade', 'admin migrate'],
  ['version', '--version'],
  ['generate evidence about maps', 'brief create'],
  ['fetch offline maps', 'scrape'],
  ['seacrh offline maps please', 'search'],
  ['sacrpe maps', 'scrape'],
  ['feeds unsubscribe', 'feeds delete'],
  ['watches activity', 'watches runs'],
  ['channels log', 'channels deliveries'],
  ['trackers history', 'trackers pushes'],
  ['channels ping', 'channels test'],
  ['sources check board.json', 'sources try'],
  ['sources lookup notes', 'sources apps'],
  ['admin accounts recharge 1 bulk', 'admin accounts grant'],
  ['admin accounts downgrade 1 free', 'admin accounts set-tier'],
  ['admin suppressions unset 1', 'admin suppressions lift'],
  ['admin snapshot x', 'admin backup'],
  ['keywords', 'topics'],
  ['gui', 'serve'],
  ['me', 'usage'],
  ['sign out', 'login --help'],
  ['jobs new maps', 'scrape'],
  ['wishes search maps', 'search'],
  ['keys:add', 'admin keys create'],
  ['push 1 2', 'trackers push'],
  ['push wish', 'trackers push'],
  ['watches reschedule 1', 'watches update'],
  ['import erase board', 'import delete'],
  ['import load', 'import FILE'],
  ['import ls', 'import list'],
  ['help job', 'jobs'],
  ['help admin keyz', 'admin keys'],
  ['watches crete --help', 'watches create'],
]

const refusalOf = (written: string) =>
  runProgram(written.split(' ')).then(
    () => ({ message: 'none', exitCode: 0 }),
    ({ message, exitCode }: Error & { exitCode: number }) => ({ message, exitCode }),
  )

describe('an unknown command', () => {
  it.each(mistakes)('is answered in one sentence with what was meant: %s', async (written, meant) => {
    const { message, exitCode } = await refusalOf(written)
    expect(message).toMatch(
      /^There is no (?:file and no )?command "wishwell [^"]+"\. Did you mean "[^"]+"(?: or "[^"]+"){0,2}\?$/,
    )
    expect(message).toContain(`"wishwell ${meant}"`)
    expect(exitCode).toBe(exitCodes.usage)
  })

  it.each([
    'logout',
    'sync',
    'rm 12',
    'delete',
    'send',
    'publish',
    'jobs purge',
    'feeds purge',
    'wishes remove 1',
    'topics revoke x',
    'admin delete 1',
    'admin wipe',
    'admin suppressions delete 1',
    'admin search-index drop',
    'admin detection erase',
    'forget me',
  ])('is never answered with what deletes, ends or sends something else: %s', async (written) => {
    const { message } = await refusalOf(written)
    const [group] = written.split(/ (?=\w+(?: \d+)?$)/)
    for (const [, found = ''] of message.matchAll(/"wishwell ([^"]+)"/g))
      if (/ (?:delete|revoke|purge|sign-out|push|migrate|restore)$/.test(found)) expect(found).toMatch(`${group} `)
  })

  it.each([
    ['xyzzy', '"wishwell --help" shows every command.'],
    ['wishes rm', '"wishwell wishes --help" shows every command.'],
    ['new\u001b[31m\u202e', '"wishwell --help" shows every command.'],
  ])('without any that is near says where all are: %j', async (written, help) => {
    const { message } = await refusalOf(written)
    expect(message).toContain(help)
    expect(message).not.toMatch(/[\p{Cc}\u202e]/u)
  })
})

const mistakenArguments: readonly [written: string, instead: string][] = [
  ['scrape offline maps', 'Did you mean: wishwell scrape "offline maps"'],
  ['scrape search by date', 'Did you mean: wishwell scrape "search by date"'],
  ['topics show offline maps', 'Did you mean: wishwell topics "offline maps"'],
  ['topics email digests', 'Did you mean: wishwell topics "email digests"'],
  ['topics list all', 'Did you mean: wishwell topics "all"'],
  ['import posts.csv votes.csv', '"wishwell import" takes only <file>.'],
  ['channels create ntfy my phone', 'Did you mean: wishwell channels create <type> "my phone"'],
  ['topics find maps', 'Did you mean: wishwell topics --query "maps"'],
  ['export offline maps', 'Did you mean: wishwell export --query "offline maps"'],
  ['brief create offline maps', 'Did you mean: wishwell brief create --topic "offline maps"'],
  ['usage show', 'Did you mean: wishwell usage'],
  ['jobs list today', '"wishwell jobs list" takes none. "wishwell jobs list --help" shows every option.'],
  ['login ww_live_0123456789abcdef', '"wishwell login < key.txt" reads it from a file.'],
]

const mistakenOptions: readonly [written: string, instead: string][] = [
  ['search maps --begin 2026-01-01', '--since'],
  ['search maps --end-date 2026-01-01', '--until'],
  ['search maps --page 2', '--offset'],
  ['search maps --type json', '--json'],
  ['search maps --output=json', '--json'],
  ['search maps --upvotes 3', '--min-votes'],
  ['search maps --platform github', '--platforms'],
  ['search maps --orderby votes', '--sort'],
  ['search maps --api_key=ww_live_0123456789abcdef', '--key'],
  ['jobs list --page 2', '--cursor'],
  ['jobs list --state failed', '--status'],
  ['scrape maps --max-pages 2', '--depth'],
  ['scrape maps --detach', '--no-wait'],
  ['scrape maps --repo a/b', '--source'],
  ['watches create maps --every daily', '--schedule'],
  ['watches create maps --cap 50', '--credits'],
  ['watches create maps --tz UTC', '--timezone'],
  ['brief create --about maps', '--topic'],
  ['brief create --outfile maps.md', '--out'],
  ['export --output-file maps.csv', '--out'],
  ['export --kind csv', '--format'],
  ['wishes mark 1 --comment x', '--note'],
  ['admin keys create 1 ci --ttl 3', '--expires'],
  ['admin purge --force', '--yes'],
]

describe('a mistake after a command', () => {
  it.each(mistakenArguments)('in its arguments is answered with what to write: %s', async (written, instead) => {
    const { message, exitCode } = await refusalOf(written)
    expect(message).toContain(instead)
    expect(message).toMatch(/^Too many arguments/)
    expect(message).not.toContain('0123')
    expect(exitCode).toBe(exitCodes.usage)
  })

  it.each(mistakenOptions)('in an option is answered with the option that was meant: %s', async (written, instead) => {
    const { message, exitCode } = await refusalOf(written)
    expect(message).toMatch(
      new RegExp(`^There is no option "--[\\w-]+" of "wishwell [a-z ]+"\\. Did you mean "${instead}"`),
    )
    expect(message).not.toContain('0123')
    expect(exitCode).toBe(exitCodes.usage)
  })

  it.each(['search maps --color', 'topics --crop x', 'export --pretty'])('is not guessed: %s', async (written) => {
    expect((await refusalOf(written)).message).toMatch(/ --help" shows every option\.$/)
  })

  it('keeps its help where the command is known', async () => {
    const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    expect(await refusalOf('help wishes merge')).toMatchObject({ exitCode: 0 })
    expect(await refusalOf('import posts.csv --help')).toMatchObject({ exitCode: 0 })
    const [shown] = print.mock.calls.map(([text]) => String(text))
    print.mockRestore()
    expect(shown).toContain('wishwell wishes merge [options] <wishId> <otherWishId>')
  })
})

describe('a refusal of the service', () => {
  it.each([
    ['search maps --since x', 'filters.since', '--since'],
    ['search maps --platforms x', 'filters.platforms.0', '--platforms'],
    ['search maps --tag x', 'filters.tags.0', '--tag'],
    ['scrape m', 'topic', 'topic'],
    ['scrape maps --source github:x', 'sources.github[0]', '--source'],
    ['watches create maps --credits 1', 'monthlyCredits', '--credits'],
    ['watches create maps --mute x', 'mutedNews.0', '--mute'],
    ['channels create webhook ops --field url=x', 'url', '--field url'],
    ['export --sort relevance', 'sortBy', '--sort'],
    ['jobs list --cursor x', 'cursor', '--cursor'],
  ])('names what was written, and is a fault of the command line: %s', async (written, field, option) => {
    expect(await refusedAs(written, `${field}: is wrong.`)).toEqual({
      message: `${option}: is wrong.`,
      exitCode: exitCodes.usage,
    })
  })

  it('names the options for fields that are missing', async () => {
    const { message, exitCode } = await refusedAs('brief create', 'body: must have topic, query, filters or watchId.')
    expect([message, exitCode]).toEqual(['Give --topic or --query or --watch.', exitCodes.usage])
  })

  it('of a call that is made as it is, or about nothing of the command line, stays as it is', async () => {
    const said = 'filters.since: is wrong.'
    expect(await refusedAs('api get /api/v1/usage', said)).toEqual({ message: said, exitCode: exitCodes.failed })
    expect(await refusedAs('jobs list', said)).toEqual({ message: said, exitCode: exitCodes.failed })
  })

  it('says what was not found, and where all are', async () => {
    const { message } = await refusedAs('topics list', 'Topic not found.', 'NOT_FOUND')
    expect(message).toBe('Topic not found: "list". "wishwell topics" shows what there is.')
  })
})

/** What a command ends with when the service refuses its call. */
async function refusedAs(written: string, message: string, code = 'INVALID_REQUEST') {
  const status = code === 'NOT_FOUND' ? 404 : 400
  const { url } = await startFakeService(() => failure(status, code, message, { details: [] }))
  process.stdout.setMaxListeners(0)
  vi.stubEnv('WISHWELL_URL', url)
  vi.stubEnv('WISHWELL_API_KEY', testKey)
  return refusalOf(written)
}

it('suggests only commands and options that exist', async () => {
  const { commandMeanings, optionMeanings } = await import('./suggestions.ts')
  const words = new Set(['FILE', '--help', '--version'])
  const options = new Set(['version'])
  const read = (command: Awaited<ReturnType<typeof createProgram>>) => {
    for (const { long } of command.options) options.add(String(long).slice(2))
    for (const inner of command.commands) {
      words.add(inner.name())
      read(inner)
    }
  }
  read(await createProgram())
  expect([...commandMeanings.values()].flat().filter((word) => !words.has(word))).toEqual([])
  expect([...optionMeanings.values()].flat().filter((name) => !options.has(name))).toEqual([])
})
