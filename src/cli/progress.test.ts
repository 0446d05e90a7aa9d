import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createProgress, formatBarRow } from './progress.ts'
import { countColumns } from './text.ts'

const platforms = ['github', 'stackexchange']

function fakeStream(isTTY: boolean) {
  const written: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk))
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY, columns: 80 }), output: () => written.join('') }
}

const plain = (text: string) => text

describe('progress in a pipe', () => {
  it('is one line for each change of a state, and nothing when nothing changes', () => {
    const { stream, output } = fakeStream(false)
    const progress = createProgress(stream, platforms, true)
    progress.update({ github: 'pending', stackexchange: 'pending' })
    progress.update({ github: 'running', stackexchange: 'pending' })
    progress.update({ github: 'running', stackexchange: 'pending' })
    progress.update({ github: 'done', stackexchange: 'error' })
    progress.stop()
    expect(output()).toBe('github: running\ngithub: done\nstackexchange: error\n')
  })

  it('is the same on a terminal that cannot move its cursor', () => {
    const { stream, output } = fakeStream(true)
    createProgress(stream, platforms, false).update({ github: 'running' })
    expect(output()).toBe('github: running\n')
  })
})

describe('progress on a terminal', () => {
  it('is one bar for each platform, and leaves the terminal as it was', async () => {
    const { stream, output } = fakeStream(true)
    const progress = createProgress(stream, platforms, true)
    progress.update({ github: 'done', stackexchange: 'running' })
    await expect.poll(output).toContain('running')
    progress.note('The service does not answer.')
    await expect.poll(output).toContain('The service does not answer.\n')
    progress.update({ github: 'done', stackexchange: 'skipped' })
    progress.stop()
    progress.stop()
    const lines = stripVTControlCharacters(output()).split('\n')
    expect(lines.at(-3)).toMatch(/github {9}█+ {2}done {5}\d\.\d s$/)
    expect(lines.at(-2)).toMatch(/stackexchange {2}█+ {2}skipped {2}\d\.\d s$/)
    expect(lines.at(-1)).toBe('')
    expect(output().lastIndexOf('\x1b[?25h')).toBeGreaterThan(output().lastIndexOf('\x1b[?25l'))
    expect(output().lastIndexOf('\x1b[?7h')).toBeGreaterThan(output().lastIndexOf('\x1b[?7l'))
  })
})

describe('the bar of a platform', () => {
  const row = (state: 'pending' | 'running' | 'done', elapsedMs: number | null, columns = 80) =>
    formatBarRow({ platform: 'github', state, elapsedMs }, { nameColumns: 13, columns }, plain)

  it('is empty, then moves, then is full', () => {
    expect(row('pending', null, 100)).toMatch(/░{30} {2}pending/)
    expect(row('running', 0, 100)).toMatch(/█{8}░{22} {2}running {2}0\.0 s/)
    expect(row('running', 1_000, 100)).toMatch(/░{10}█{8}░{12} {2}running {2}1\.0 s/)
    expect(row('running', 2_600, 100)).toMatch(/█{4}░{22}█{4} {2}running {2}2\.6 s/)
    expect(row('done', 61_000, 100)).toMatch(/█{30} {2}done {5}1 min 01 s/)
  })

  it('is as full as the work is done, and has pages and counts beside it on 80 columns', () => {
    const detail = { text: '10/40 pages, 12,345 new', share: 0.25 }
    const line = formatBarRow(
      { platform: 'stackexchange', state: 'running', elapsedMs: 3_599_000, detail },
      { nameColumns: 13, columns: 80 },
      plain,
    )
    expect(line).toMatch(/^stackexchange {2}█+░+ {2}running {2}59 min 59 s {2}10\/40 pages, 12,345 new$/)
    expect(line.split('█').length / line.split('░').length).toBeCloseTo(1 / 3, 0)
    expect(countColumns(line)).toBeLessThan(80)
  })

  it('fits the terminal, without a bar where there is no room for one', () => {
    const detail = { text: '40/40 pages, 12,345 new', share: 1 }
    for (const columns of [40, 45, 50, 60, 70, 75, 80, 200]) {
      const wide = { platform: 'x'.repeat(100), state: 'done' as const, elapsedMs: 5_999_000, detail }
      expect(countColumns(row('done', 5_999_000, columns))).toBeLessThan(columns)
      expect(countColumns(formatBarRow(wide, { nameColumns: 100, columns }, plain))).toBeLessThan(columns)
    }
    expect(row('running', 1_000, 40)).toBe('github         running  1.0 s')
  })

  it('is painted by outcome', () => {
    const painted = formatBarRow(
      { platform: 'x', state: 'error', elapsedMs: 0 },
      { nameColumns: 1, columns: 80 },
      (text) => `<${text}>`,
    )
    expect(painted).toMatch(/^x {2}<█+> {2}<error {4}0\.0 s>$/)
  })
})
