import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { TrackerAdapter } from '../../notifications/trackers/tracker.ts'
import { type EscapedFor, escapeFor, foreignText } from './foreign.ts'

// Holds (Hostile input): the type checker refuses foreign text in strings, paths, headers, logs or trackers without the proper escape

const title = foreignText('cc @octocat')
const forShouting = escapeFor<'shouting'>((text) => text.toUpperCase())
const log = pino({ enabled: false })
const made = (_issue: object) => ({ id: '1', key: '#1', url: null, status: null })
const create: TrackerAdapter['create'] = async (_config, _push, issue) => made(issue)

it('is refused everywhere by the type checker, which fails for a line of these that it takes', () => {
  expect.assertions(0)
  // Not called: the lines are for the type checker alone.
  void (() => {
    // @ts-expect-error: it is no string.
    const text: string = title
    // @ts-expect-error: it is in no text.
    const sentence = `Please: ${title}`
    // @ts-expect-error: it has no methods of a text.
    const path = encodeURIComponent(title.trim())
    // @ts-expect-error: it is no address.
    const url = URL.parse('/', title)
    // @ts-expect-error: it leads nowhere.
    void fetch(title)
    // @ts-expect-error: it is no header.
    const headers = new Headers({ subject: title })
    // @ts-expect-error: it is no field of a log line.
    log.warn({ title }, 'a wish')
    // @ts-expect-error: it is no log line.
    log.warn(title)
    // @ts-expect-error: it is nothing that a platform's name, an id or another text may be compared with.
    const isSame = title === 'cc @octocat'
    // @ts-expect-error: what was escaped for one place goes to no other.
    const forTracker: EscapedFor<'tracker'> = forShouting(title)
    // @ts-expect-error: a tracker takes no title that was not escaped for it.
    void create({}, { id: '1', since: new Date() }, { title, blocks: [], counts }, new AbortController().signal)
    // @ts-expect-error: nor does one compile that wants it as it is.
    const careless: TrackerAdapter['create'] = async (_config, _push, issue: { title: typeof title }) => made(issue)
    return [text, sentence, path, url, headers, isSame, forTracker, careless]
  })
})

const counts = { requests: 1, votes: 1, voices: 1, own: null }

it('is read by the escape of a place', () => {
  expect(forShouting(title)).toBe('CC @OCTOCAT')
})
