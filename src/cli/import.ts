import { type Command, InvalidArgumentError, Option } from 'commander'
import { importFields } from '../feedback/columns.ts'
import { importFormats } from '../feedback/formats.ts'
import { nameOfFile } from '../feedback/names.ts'
import { createApi } from './api.ts'
import type { Data, Query } from './api-types.ts'
import { addJson, clientCommand, commandGroup, type Json, subcommandsOf } from './client-command.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { readInput } from './input-file.ts'
import { defined } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines, type Row } from './output.ts'
import { plain } from './plain-actions.ts'
import { count, firstLine, formatMoment, printable } from './text.ts'

const help = {
  notes: `CSV, JSON Lines or JSON: the exports of Canny, Productboard, UserVoice, GitHub issues and Reddit, and any other table with a title or a text. All
of it is checked before anything is stored; the same file again updates what it imported. Only your account sees it, as import:<name>.
Fields: ${importFields.join(', ')}.`,
  failed: 'the file is wrong, or the service refused',
  examples: `  wishwell import posts.csv --dry-run
  wishwell import tickets.csv --name inbox --map title=Subject --map id='Ticket #'
  gh issue list --json number,title,body,url,state,labels,author,createdAt --limit 1000 > issues.json && wishwell import issues.json`,
}

const subcommand = subcommandsOf('import', { failed: 'the service refused, or has no such import' })

function collectColumns(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, field = '', column = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (!importFields.some((one) => one === field))
    throw new InvalidArgumentError(`It must be field=column, with one of the fields ${importFields.join(', ')}.`)
  return { ...before, [field]: column }
}

interface ImportOptions extends Json {
  name?: string
  format?: NonNullable<Query<'importFeedback'>['format']>
  map?: Record<string, string>
  allRequests?: boolean
  dryRun: boolean
}

const imports = '/api/v1/feedback/imports'

/** `wishwell import`: one's own feedback, beside public requests. */
export const importCommand = (): Command =>
  commandGroup('import', 'import feedback of your own from a file, and list and delete imports (free)', [])
    .addCommand(
      addJson(clientCommand('import', 'import a file', help))
        .name('file')
        .argument('<file>', 'the file; - reads stdin')
        .option('--name <name>', 'what the import is called: a-z, 0-9 and hyphens (default: the name of the file)')
        .addOption(
          new Option('--format <format>', 'whose export it is (default: what its columns say)').choices(importFormats),
        )
        .option('--map <field=column>', 'the column of a field, or none; may be repeated', collectColumns)
        .option('--all-requests', 'each row is a feature request: detection judges none')
        .option('--dry-run', 'only check the file, and show what would be stored', false)
        .action(importFile),
      { isDefault: true },
    )
    .addCommand(subcommand('list', 'list the imports').action(plain.list(imports, rowOf, 'No imports.')))
    .addCommand(
      subcommand('delete', 'delete an import with all of its asks')
        .argument('<name>', 'as "wishwell import list" shows it')
        .action(plain.call('delete', `${imports}/{name}`, deleted)),
    )

/** The largest file takes two hours at the lowest speed; a hundred thousand rows take a minute. */
const importingMs = 150 * 60_000

async function importFile(
  path: string,
  { name, format, map, allRequests, dryRun, json }: ImportOptions,
): Promise<void> {
  exitWhenOutputCloses()
  if (name === undefined && path === '-') throw new CommandError('--name: stdin has no name.', exitCodes.usage)
  const query = {
    name: name ?? nameOfFile(path),
    ...defined({ format, map: map && JSON.stringify(map), areRequests: allRequests, dryRun: dryRun || undefined }),
  }
  const answer = await createApi(readClientConfig(), { timeoutMs: importingMs }).importFile(query, readInput(path))
  if (json) printJson(answer)
  else printLines(importLines(answer.data))
}

type Imported = Data<'importFeedback'>

const told = (amount: number, text: string) => (amount > 0 ? [text] : [])

function importLines(imported: Imported): string[] {
  const { name, format, columns, unused, rows, asks, repeated, leftOut, undated, unstorable, unknownStatuses, stored } =
    imported
  const words = unknownStatuses.words.map(printable).join(', ')
  const left = [
    ...told(repeated, `${repeated} repeat the id of another`),
    ...told(leftOut.noText, `${leftOut.noText} have no text`),
    ...told(leftOut.removed, `${leftOut.removed} were removed where they were posted`),
    ...told(leftOut.pullRequest, `${leftOut.pullRequest} are pull requests`),
  ]
  return [
    `${count(rows, 'row')}${format === 'table' ? '' : ` of ${format}`}: ${count(asks, 'ask')}${left.length === 0 ? '' : `; ${left.join(', ')}`}.`,
    `Columns: ${Object.entries(columns)
      .map(([field, column]) => `${field} = ${printable(column)}`)
      .join(', ')}`,
    ...(unused.length === 0 ? [] : [`Not read: ${unused.map(printable).join(', ')}`]),
    ...told(undated, `Without a date: ${count(undated, 'row')}. Filters by date leave them out.`),
    ...told(
      unstorable,
      `With characters that cannot be stored (NUL, halves of others) and are removed: ${count(unstorable, 'row')}.`,
    ),
    ...told(unknownStatuses.rows, `Not understood as a status: ${words} (${count(unknownStatuses.rows, 'row')}).`),
    imported.areRequests ? 'Each is a feature request.' : 'Detection says which are feature requests.',
    ...(stored === null
      ? [
          'Nothing was stored. The first of them:',
          ...imported.sample.map(
            ({ title, votes, status }) =>
              `  ${firstLine(title)}  ${count(votes, 'vote')}${status === null ? '' : `  ${status}`}`,
          ),
        ]
      : [
          `import:${name}: ${stored.created} new, ${stored.updated} updated, ${stored.unchanged} unchanged${stored.suppressed === 0 ? '' : `, ${stored.suppressed} purged before and left out`}.`,
          ...told(
            stored.notLikely,
            `Not likely feature requests, so lists leave them out: ${stored.notLikely} of the new ones. If they are, import the file again with --all-requests.`,
          ),
          ...told(stored.unindexed, 'Searches by words find them within minutes.'),
        ]),
  ]
}

const rowOf = ({ name, asks, unindexed, importedAt }: Data<'listImports'>['results'][number]): Row => ({
  title: `import:${name}`,
  facts: [count(asks, 'ask'), unindexed === 0 ? '' : `${unindexed} not searched yet`, formatMoment(importedAt)],
  id: null,
})

const deleted = ({ name, deleted: asks }: Data<'deleteImport'>) => [
  `Deleted import:${printable(name)} with ${count(asks, 'ask')}.`,
]
