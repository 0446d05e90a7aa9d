import { styleText } from 'node:util'
import { type DestinationStream, type Logger, levels, pino } from 'pino'
import type { LogFormat } from '../config.ts'
import { firstLine, printable } from './text.ts'

/** What a log is written in; `auto` is decided. */
export type ChosenLogFormat = Exclude<LogFormat, 'auto'>

/** Text for somebody who looks at a terminal, JSON for everything else. */
export const chooseLogFormat = (format: LogFormat, isTerminal: boolean): ChosenLogFormat =>
  format === 'auto' ? (isTerminal ? 'text' : 'json') : format

const colours = { debug: 'dim', trace: 'dim', info: 'cyan', warn: 'yellow', error: 'red', fatal: 'red' } as const

/** What a line has of its own accord, or shows in another form. */
const ownFields = new Set(['level', 'time', 'msg', 'err', 'req', 'res', 'responseTime'])
/** Needed to follow something up, and only noise while all is well. */
const ids = new Set(['reqId', 'jobId', 'taskId'])
/** A stack says where; the first frames are ours or next to ours. */
const maxFrames = 4

type Entry = Record<string, unknown> & { level: number; time: string; msg?: string }

const textOf = (value: unknown) => printable(typeof value === 'object' ? JSON.stringify(value) : String(value))

function formatFields(entry: Entry, withIds: boolean): string[] {
  return Object.entries(entry)
    .filter(([name, value]) => !ownFields.has(name) && (withIds || !ids.has(name)) && value !== null)
    .map(([name, value]) => `${printable(name)}=${textOf(value)}`)
}

function formatCall({ req, res, responseTime }: Entry): string[] {
  if (typeof req !== 'object' || req === null) return []
  const { method, path } = req as { method?: string; path?: string }
  const status = (res as { statusCode?: number } | undefined)?.statusCode
  return [
    `${printable(String(method))} ${printable(String(path))}`,
    ...(status === undefined ? [] : [String(status)]),
    ...(typeof responseTime === 'number' ? [`${Math.round(responseTime)} ms`] : []),
  ]
}

function formatError(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return error === undefined ? [] : [`    ${textOf(error)}`]
  const { message, stack } = error as { message?: string; stack?: string }
  const frames = (stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  // The first line of a stack is its type and message; a message of several lines is cut to its first.
  const head = firstLine(stack ?? '') || firstLine(message ?? '') || 'an error without a message'
  return [head, ...frames.slice(0, maxFrames).map(printable)].map((line) => `    ${line}`)
}

/**
 * One entry of the log as a person reads it: time of day (UTC), level, sentence, the fields that matter; an error on lines of its own.
 * Nothing in it is obeyed by a terminal.
 * @param line an entry as pino writes it
 */
export function formatLogLine(line: string, hasColours: boolean): string {
  const entry = JSON.parse(line) as Entry
  const level = levels.labels[entry.level] ?? String(entry.level)
  const label = level.padEnd(5)
  const colour = colours[level as keyof typeof colours] ?? 'reset'
  const isTrouble = entry.level >= levels.values.warn!
  const words = [
    entry.time.slice(11, 19),
    hasColours ? styleText(colour, label, { validateStream: false }) : label,
    printable(entry.msg ?? ''),
    ...formatCall(entry),
    ...formatFields(entry, isTrouble),
  ]
  return `${[words.join(' ').trimEnd(), ...formatError(entry.err)].join('\n')}\n`
}

/** Writes each entry as text at once, so that none is lost when the process ends. */
const textDestination = (stream: NodeJS.WriteStream, write: DestinationStream): DestinationStream => ({
  // Asked of the stream, which knows NO_COLOR and what the terminal can do.
  write: (line) => write.write(formatLogLine(line, stream.isTTY && stream.hasColors())),
})

/** Logs go to stderr: stdout is for what a person or a script asked for, and the first key is shown only there. */
export function createLog(level: string, format: ChosenLogFormat): Logger {
  const stderr = pino.destination({ fd: 2, sync: true })
  const destination = format === 'text' ? textDestination(process.stderr, stderr) : stderr
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}
