import { describe, expect, it } from 'vitest'
import { exitCodes } from './exit-codes.ts'
import { runProgram } from './program.ts'

// Holds (Command line): an unknown command is answered with the one that was meant, also of another group and by another word

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
]

const refusalOf = (written: string) =>
  runProgram(written.split(' ')).then(
    () => ({ message: 'none', exitCode: 0 }),
    ({ message, exitCode }: Error & { exitCode: number }) => ({ message, exitCode }),
  )

describe('an unknown command', () => {
  it.each(mistakes)('is answered in one sentence with what was meant: %s', async (written, meant) => {
    const { message, exitCode } = await refusalOf(written)
    expect(message).toMatch(/^There is no command "wishwell [^"]+"\. Did you mean "[^"]+"(?: or "[^"]+"){0,2}\?$/)
    expect(message).toContain(`"wishwell ${meant}"`)
    expect(exitCode).toBe(exitCodes.usage)
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
