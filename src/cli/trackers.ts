import type { Command } from 'commander'
import type { Data, Query, Schemas } from './api-types.ts'
import { collectField, fieldsOf, type GivenFields, readFieldFile } from './channels.ts'
import { commandGroup, type Json, pageLines, printAnswer, subcommandsOf } from './client-command.ts'
import { defined, wholeNumber } from './options.ts'
import { formatRow, type Row } from './output.ts'
import { plain } from './plain-actions.ts'
import { printable } from './text.ts'

const subcommand = subcommandsOf('trackers', {
  notes:
    'A token is a secret: give it with --field-file, so that no list of processes and no history of a shell has it.',
  failed: 'the service or the tracker refused, or there is no such thing',
  examples: `  wishwell trackers create github App --field project=acme/app --field-file token=-
  wishwell trackers push <trackerId> <wishId>`,
})

const types: Schemas['Tracker']['type'][] = ['github', 'gitlab', 'linear', 'jira', 'webhook']

const [trackerId, pushId] = ['as "wishwell trackers list" shows it', 'as "wishwell trackers pushes" shows it']

const ofTracker = '/api/v1/trackers/{trackerId}'

/** `wishwell trackers`: wishes as issues, and their status. */
export const trackersCommand = (): Command =>
  commandGroup('trackers', 'push wishes to GitHub, GitLab, Linear, Jira or a webhook as issues, and hear back (free)', [
    subcommand('create', 'create a tracker, which is called once; the secret of a webhook is shown only once')
      .argument('<type>', types.join(', '))
      .argument('<name>', 'a name for people')
      .option('--field <name=value>', 'project, url, email or issueType; repeat it for several', collectField)
      .option('--field-file <name=file>', 'the same, read from a file; - for stdin, such as token=-', collectField)
      .action(plain.call('post', '/api/v1/trackers', made, { body: newTracker, isOnce: true })),
    subcommand('list', 'list the trackers').action(
      plain.list('/api/v1/trackers', rowOf, 'The account has no trackers.'),
    ),
    subcommand('update', 'change the name of a tracker, or its token')
      .argument('<trackerId>', trackerId)
      .option('--name <name>', 'a name for people')
      .option('--token-file <file>', 'read another token from a file; - for stdin')
      .action(plain.call('patch', ofTracker, (one) => [formatRow(rowOf(one))], { body: changed })),
    subcommand('delete', 'delete a tracker and forget its pushes; the issues stay')
      .argument('<trackerId>', trackerId)
      .action(plain.call('delete', ofTracker, (gone) => [`Tracker ${printable(gone.trackerId)} is deleted.`])),
    subcommand('push', 'push a wish as an issue, once: a wish that was pushed before has that issue')
      .argument('<trackerId>', trackerId)
      .argument('<wishId>', 'as "wishwell wishes list" shows it')
      .action(push),
    subcommand('pushes', 'list the pushes, the last made first')
      .option('--wish <wishId>', 'only those of this wish')
      .option('--limit <pushes>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(listPushes),
    subcommand('show', 'show a push, with a draft for each place where somebody asked')
      .argument('<pushId>', pushId)
      .action(plain.call('get', '/api/v1/pushes/{pushId}', (one) => [...lineOfPush(one), ...draftLines(one)])),
    subcommand('undo', 'take a push back: its issue is closed')
      .argument('<pushId>', pushId)
      .action(plain.call('delete', '/api/v1/pushes/{pushId}', lineOfPush)),
  ])

const newTracker = (type: Schemas['Tracker']['type'], name: string, given: GivenFields) => ({
  type,
  name,
  ...fieldsOf(given),
})

const made = ({ trackerId: id, secret }: Data<'createTracker'>) => [
  `Tracker ${printable(id)}`,
  ...(secret === undefined ? [] : [`Secret: ${printable(secret)}   (shown only once)`]),
  `Push a wish with: wishwell trackers push ${printable(id)} <wishId>`,
]

const rowOf = ({ trackerId: id, type, name, target, error }: Schemas['Tracker']): Row => ({
  title: name,
  facts: [type, target, error ?? ''],
  id,
})

const changed = ({ name, tokenFile }: { name?: string; tokenFile?: string }) =>
  defined({ name, token: tokenFile === undefined ? undefined : readFieldFile('token', tokenFile) })

function rowOfPush({ pushId: id, wishId, state, issue, status, error }: Schemas['Push']): Row {
  const facts = [state, status ?? '', issue?.url ?? '', `wish ${wishId}`, error ?? '']
  return { title: issue?.key ?? 'no issue', facts, id }
}

const lineOfPush = (push: Schemas['Push']) => [formatRow(rowOfPush(push))]

const push = (tracker: string, wishId: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.POST('/api/v1/wishes/{wishId}/pushes', { params: { path: { wishId } }, body: { trackerId: tracker } }),
    ({ data }) => lineOfPush(data),
  )

const listPushes = ({ json, wish, ...query }: Omit<Query<'listPushes'>, 'wishId'> & { wish?: string } & Json) =>
  printAnswer(
    { json },
    (api) =>
      api.GET('/api/v1/pushes', {
        params: { query: { ...query, ...(wish === undefined ? {} : { wishId: wish }) } },
      }),
    pageLines(
      rowOfPush,
      'Nothing was pushed.',
      `trackers pushes${wish === undefined ? '' : ` --wish ${printable(wish)}`}`,
      query,
    ),
  )

const draftLines = ({ drafts }: Data<'readPush'>) =>
  drafts.flatMap(({ sourceUrl, text }) => ['', printable(sourceUrl), `  ${printable(text)}`])
