import { styleText } from 'node:util'
import { type DestinationStream, type Logger, levels, pino } from 'pino'
import type { LogFormat } from '../app/config.ts'
import { exitCodes } from './exit-codes.ts'
import { firstLine, printable } from './text.ts'

type ChosenLogFormat = Exclude<LogFormat, 'auto'>

/** Text on a terminal, JSON everywhere else. */
export const chooseLogFormat = (format: LogFormat, isTerminal: boolean): ChosenLogFormat =>
  format === 'auto' ? (isTerminal ? 'text' : 'json') : format

const colours = { debug: 'dim', trace: 'dim', info: 'cyan', warn: 'yellow', error: 'red', fatal: 'red' } as const

const ownFields = new Set(['level', 'time', 'msg', 'err', 'req', 'res', 'responseTime'])
/** Fields only needed to analyze failures. */
const ids = new Set(['reqId', 'jobId', 'taskId'])
/** Frames shown of a stack; further ones are seldom ours. */
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
  // A stack starts with type and message; of a longer message only the first line is shown.
  const head = firstLine(stack ?? '') || firstLine(message ?? '') || 'an error without a message'
  return [head, ...frames.slice(0, maxFrames).map(printable)].map((line) => `    ${line}`)
}

/** Formats pino's line as text: time (UTC), level, message, fields, errors; without logged escape sequences. */
export function formatLogLine(line: string, hasColours: boolean): string {
  const entry = JSON.parse(line) as Entry
  const level = levels.labels[entry.level] ?? String(entry.level)
  const label = level.padEnd(5)
  const colour = colours[level as keyof typeof colours] ?? 'reset'
  const isProblem = entry.level >= levels.values.warn!
  const words = [
    entry.time.slice(11, 19),
    hasColours ? styleText(colour, label, { validateStream: false }) : label,
    printable(entry.msg ?? ''),
    ...formatCall(entry),
    ...formatFields(entry, isProblem),
  ]
  return `${[words.join(' ').trimEnd(), ...formatError(entry.err)].join('\n')}\n`
}

/** Writes lines synchronously, so that none is lost when the process ends. */
const textDestination = (stream: NodeJS.WriteStream, write: DestinationStream): DestinationStream => ({
  // hasColors respects NO_COLOR and the terminal's abilities.
  write: (line) => write.write(formatLogLine(line, stream.isTTY && stream.hasColors())),
})

/** Logs to stderr: stdout is for results, and the only place that shows the first key. */
export function createLog(level: string, format: ChosenLogFormat): Logger {
  const stderr = pino.destination({ fd: 2, sync: true })
  const destination = format === 'text' ? textDestination(process.stderr, stderr) : stderr
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}

/** A sentence for the operator about an embedded database that ended by itself, without the code location. */
const describeDatabaseEnd = ({ message, name }: Error): string =>
  `cannot go on: the embedded database has ended (${firstLine(message) || name}); what was committed is kept`

/** Logs the end of the embedded database in one sentence; with the stack only at level debug. */
export function logDatabaseEnd(log: Logger, error: Error): void {
  log.debug({ err: error }, 'the embedded database has ended')
  log.fatal(describeDatabaseEnd(error))
}

/** Ends a command whose embedded database ended by itself. */
export function endCommand(error: Error): never {
  console.error(`wishwell: ${describeDatabaseEnd(error)}`)
  process.exit(exitCodes.failed)
}
