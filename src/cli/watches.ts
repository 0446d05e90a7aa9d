import type { Command } from 'commander'
import type { Data } from './api-types.ts'
import { commandGroup, subcommandsOf } from './client-command.ts'
import { newsCommand } from './news.ts'
import { changes, wholeNumber } from './options.ts'
import { plain } from './plain-actions.ts'
import { printable } from './text.ts'
import { formatPreview, formatWatch, runRow, watchRow } from './watch-lines.ts'
import { addTelling, addTerms, changesOf, fieldsOf, type TermsOptions } from './watch-options.ts'

const subcommand = subcommandsOf('watches', {
  failed: 'the service refused, or has no such watch',
  limited: 'out of credits, or too many requests',
  examples: `  wishwell watches create "dark mode"
  wishwell watches preview "dark mode" --schedule weekly --credits 40
  wishwell watches create "dark mode" --schedule daily --timezone Europe/Berlin --credits 60
  wishwell watches create "offline sync" --schedule "15 8 * * MON" --source github:owner/repository --credits 10
  wishwell watches update 5f0c… --credits 90 --min-votes 5 --no-goal`,
})

const watchId = 'as "wishwell watches list" shows it'
const ofWatch = '/api/v1/watches/{watchId}'

const topic = 'the topic of the requests, 2 to 100 characters; quote it when it has spaces'

/** `wishwell watches`: topics collected on a schedule. */
export const watchesCommand = (): Command =>
  commandGroup('watches', 'watch topics: collect them by a schedule, within a budget of credits a month', [
    addTelling(addTerms(subcommand('create', 'watch a topic (each run costs credits)').argument('<topic>', topic)))
      .option('--name <name>', 'how people call it (default: the topic)')
      .action(plain.call('post', '/api/v1/watches', formatWatch, { body: newWatch, isOnce: true })),
    addTerms(
      subcommand('preview', 'show when a watch would run, and what that costs at most').argument('<topic>', topic),
    ).action(plain.call('post', '/api/v1/watches/preview', formatPreview, { body: newWatch })),
    addTelling(addTerms(subcommand('update', 'change a watch; what is not given stays').argument('<watchId>', watchId)))
      .option('--name <name>', 'how people call it')
      .option('--no-goal', 'remove its goal')
      .option('--no-channels', 'tell no channel of it')
      .option('--no-sources', "collect from the service's own sources")
      .option('--no-reports-quiet', 'send no report without news')
      .option('--no-mute', 'tell every kind of news')
      .option('--no-filters', 'all requests are news; options that filter replace all filters of the watch')
      .action(
        plain.call('patch', ofWatch, formatWatch, { body: (options: TermsOptions) => changes(changesOf(options)) }),
      ),
    subcommand('list', 'list the watches of the account').action(
      plain.list('/api/v1/watches', watchRow, 'No watches.'),
    ),
    subcommand('show', 'show a watch and its next runs; counts as a look')
      .argument('<watchId>', watchId)
      .action(plain.call('get', ofWatch, formatWatch)),
    subcommand('pause', 'pause a watch')
      .argument('<watchId>', watchId)
      .action(plain.call('patch', ofWatch, paused, { body: () => ({ state: 'paused' as const }) })),
    subcommand('resume', 'have a watch go on that is paused or asks')
      .argument('<watchId>', watchId)
      .action(plain.call('patch', ofWatch, formatWatch, { body: () => ({ state: 'active' as const }) })),
    subcommand('run', 'run a watch now (costs credits)')
      .argument('<watchId>', watchId)
      .action(plain.call('post', `${ofWatch}/run`, started, { isOnce: true })),
    subcommand('runs', 'list the runs of a watch, the last first')
      .argument('<watchId>', watchId)
      .option('--limit <runs>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(plain.page(`${ofWatch}/runs`, runRow, 'No runs.', 'watches runs')),
    subcommand('delete', 'delete a watch with its history and news; what it collected stays')
      .argument('<watchId>', watchId)
      .action(plain.call('delete', ofWatch, (gone) => [`Deleted: ${printable(gone.watchId)}`])),
    newsCommand(),
  ])

const newWatch = (topic: string, options: TermsOptions) => ({ topic, ...fieldsOf(options) })

const paused = ({ watchId: id }: Data<'changeWatch'>) => [
  `Paused. It goes on with: wishwell watches resume ${printable(id)}`,
]

const started = ({ jobId }: Data<'runWatch'>) => [
  `Started job ${printable(jobId)}. See it with: wishwell jobs show ${printable(jobId)}`,
]
