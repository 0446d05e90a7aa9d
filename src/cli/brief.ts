import { writeFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { answerOf, createApi, once } from './api.ts'
import type { Body, Data, Query } from './api-types.ts'
import { addJson, clientCommand, commandGroup, type Json, printAnswer, subcommandsOf } from './client-command.ts'
import { readClientConfig } from './client-config.ts'
import { exitCodes } from './exit-codes.ts'
import { fileError, readInput } from './input-file.ts'
import { collectValues, commaList, dateHelp, defined, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, noteLines, printJson, printLines, type Row } from './output.ts'
import { plain } from './plain-actions.ts'
import { statusHelp } from './search-options.ts'
import { count, firstLine, formatMoment, printable, shellWord } from './text.ts'

const subcommand = subcommandsOf('brief', { failed: 'the service refused, or has no such brief' })

const makeHelp = {
  notes: 'The brief is stored with the account, and stays what it was made; only what its author deletes goes from it.',
  examples: `  wishwell brief create --topic 'dark mode' --out dark-mode.md
  wishwell brief create --query 'offline maps' --question 'What first?' --since 2026-01-01 --format html --out maps.html`,
}

const verifyHelp = {
  notes: 'The file is compared with the stored brief that it names, and with nothing that it says of itself.',
  ok: 'nothing of it was changed, and nothing of it is removed since',
  failed: 'it was changed, something of it is removed since, or it is no file of a brief of the account',
  examples: `  wishwell brief verify dark-mode.md
  curl -s https://example.org/dark-mode.md | wishwell brief verify -`,
}

type Format = NonNullable<Query<'readBriefFile'>['format']>
type Filters = NonNullable<Body<'createBrief'>['filters']>

interface FileOptions extends Json {
  format: Format
  out?: string
}

const addFile = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <format>', 'the form of the file').choices(['markdown', 'html', 'json']).default('markdown'),
    )
    .option('--out <file>', 'the file to write; without it the brief is written to stdout')

const briefId = 'as "wishwell brief list" shows it'

/** `wishwell brief`: what people want of something, quoted, on one page that never changes. */
export const briefCommand = (): Command =>
  commandGroup('brief', 'make, read and verify evidence briefs: what people want, in their own words (free)', [
    addFile(addJson(clientCommand('brief create', 'make a brief of what is in the cache', makeHelp)))
      .option('--topic <topic>', 'about this topic')
      .option('--query <words>', 'about the results of a search for these words')
      .option('--watch <watchId>', 'about what a watch is about')
      .option('--question <text>', 'what is to be decided: it stands above the brief')
      .option('--since <date>', `${dateHelp.since}; the numbers of a wish are those of all time`)
      .option('--until <date>', dateHelp.until)
      .option('--platforms <names>', 'comma list: only requests of these platforms', commaList)
      .option('--product <product>', 'only requests of this product; may be repeated', collectValues)
      .option('--min-votes <votes>', 'only requests with at least so many votes', wholeNumber(0, 2_147_483_647))
      .option('--status <statuses>', statusHelp, commaList)
      .action(create),
    subcommand('list', 'list the briefs of the account, the last made first')
      .option('--limit <briefs>', 'maximum of briefs to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(plain.page('/api/v1/briefs', briefRow, 'No briefs.', 'brief list')),
    addFile(subcommand('show', 'show a brief, as it was made').argument('<briefId>', briefId)).action(show),
    subcommand('delete', 'delete a brief; its files can be verified no more')
      .argument('<briefId>', briefId)
      .action(plain.call('delete', '/api/v1/briefs/{briefId}', (gone) => [`Deleted: ${printable(gone.briefId)}`])),
    addJson(
      clientCommand('brief verify', 'say what was changed in the file of a brief, and what holds no more', verifyHelp),
    )
      .argument('<file>', 'Markdown, HTML or JSON; - reads stdin')
      .action(verify),
  ])

interface CreateOptions extends FileOptions, Omit<Filters, 'products'> {
  query?: string
  watch?: string
  question?: string
  product?: Filters['products']
}

function bodyOf(options: CreateOptions): Body<'createBrief'> {
  const { topic, query, watch: watchId, question, since, until, platforms, product, minVotes, status } = options
  const filters = defined({ platforms, products: product, minVotes, status })
  const period = defined({ since, until })
  return {
    ...defined({ topic, query, watchId, question }),
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(Object.keys(period).length > 0 ? { period } : {}),
  } as Body<'createBrief'>
}

async function create(options: CreateOptions): Promise<void> {
  exitWhenOutputCloses()
  const api = createApi(readClientConfig())
  const body = bodyOf(options)
  const answer = await answerOf(api.POST('/api/v1/briefs', { params: { header: once() }, body }))
  const { briefId } = answer.data
  if (options.json) printJson(answer)
  else noteLines([`Made brief ${printable(briefId)}.`])
  if (!options.json || options.out !== undefined) await writeFile(api, briefId, options)
}

const show = (briefId: string, options: FileOptions): Promise<void> => {
  if (options.json)
    return printAnswer(
      options,
      (api) => api.GET('/api/v1/briefs/{briefId}', { params: { path: { briefId } } }),
      () => [],
    )
  exitWhenOutputCloses()
  return writeFile(createApi(readClientConfig()), briefId, options)
}

/** Writes a brief's file byte by byte as sent, so that it can be verified. The service has cleaned its texts. */
async function writeFile(api: ReturnType<typeof createApi>, briefId: string, { format, out }: FileOptions) {
  const text = await api.readBriefFile(briefId, format)
  if (out === undefined) {
    process.stdout.write(text)
    return
  }
  try {
    writeFileSync(out, text)
  } catch (error) {
    throw fileError(error, out, '--out')
  }
  noteLines([`Saved ${printable(out)}. Verify it with: wishwell brief verify ${shellWord(printable(out))}`])
}

type Summary = Data<'listBriefs'>['results'][number]

function briefRow({ briefId, request, removed, createdAt }: Summary): Row {
  const { topic, query, watchId, question, filters } = request as Body<'createBrief'>
  const about = query ?? topic ?? (watchId === undefined ? 'a part of the cache' : `watch ${watchId}`)
  return {
    title: about,
    facts: [
      question === undefined ? '' : `"${question}"`,
      ...Object.entries(filters ?? {}).map(([name, value]) => `${name} ${String(value)}`),
      formatMoment(createdAt),
      removed === 0 ? '' : `${count(removed, 'part')} removed since`,
    ],
    id: briefId,
  }
}

type Verification = Data<'verifyBrief'>

const differenceWords: Record<Verification['noLongerHolds'][number]['what'], string> = {
  wish: 'a wish is no wish of its own any more',
  votes: 'votes of a wish',
  requests: 'requests of a wish',
  status: 'status of a wish',
  quote: 'a request says no more',
}

function verificationLines({ verdict, briefId, changes, removed, noLongerHolds }: Verification): string[] {
  if (verdict === 'unknown') return ['Not a file of a brief of this account.']
  return [
    verdict === 'intact'
      ? `Intact: nothing was changed in it since it was made as brief ${printable(briefId ?? '')}.`
      : `Changed in ${count(changes.length, 'place')} since it was made as brief ${printable(briefId ?? '')}:`,
    ...changes.flatMap(({ line, made, file }) => {
      // Lines that differ only in white space are shown with it.
      const shown = firstLine(made) === firstLine(file) ? (text: string) => printable(JSON.stringify(text)) : firstLine
      return [
        `  line ${line}`,
        `    made:    ${shown(made) || '(nothing)'}`,
        `    in file: ${shown(file) || '(nothing)'}`,
      ]
    }),
    ...(removed === 0
      ? []
      : [
          `Removed since: ${count(removed, 'part')} of it. The file should not have them any more; make it again with: wishwell brief show ${printable(briefId ?? '')}`,
        ]),
    ...(noLongerHolds.length === 0 ? [] : ['Different now:']),
    ...noLongerHolds.map(
      ({ what, wishId, was, now }) =>
        `  ${differenceWords[what]}: ${printable(was ?? 'none')}${what === 'quote' || what === 'wish' ? '' : `, now ${printable(now ?? 'none')}`}  ${printable(wishId)}`,
    ),
  ]
}

async function verify(path: string, { json }: Json): Promise<void> {
  exitWhenOutputCloses()
  const file = readInput(path).toString()
  const answer = await answerOf(createApi(readClientConfig()).POST('/api/v1/briefs/verify', { body: { file } }))
  const { verdict, removed } = answer.data
  if (verdict !== 'intact' || removed > 0) process.exitCode = exitCodes.failed
  if (json) printJson(answer)
  else printLines(verificationLines(answer.data))
}
