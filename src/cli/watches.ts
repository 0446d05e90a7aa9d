import type { Command } from 'commander'
import { once, wholeList } from './api.ts'
import type { Query } from './api-types.ts'
import { commandGroup, type Json, pageLines, printAnswer, subcommandsOf } from './client-command.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { newsCommand } from './news.ts'
import { wholeNumber } from './options.ts'
import { formatList } from './output.ts'
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

const topic = 'the topic of the requests, 2 to 100 characters; quote it when it has spaces'

/** `wishwell watches`: topics that are collected by a schedule. */
export const watchesCommand = (): Command =>
  commandGroup('watches', 'watch topics: collect them by a schedule, within a budget of credits a month', [
    addTelling(addTerms(subcommand('create', 'watch a topic (each run costs credits)').argument('<topic>', topic)))
      .option('--name <name>', 'how people call it (default: the topic)')
      .action(add),
    addTerms(
      subcommand('preview', 'show when a watch would run, and what that costs at most').argument('<topic>', topic),
    ).action(preview),
    addTelling(addTerms(subcommand('update', 'change a watch; what is not given stays').argument('<watchId>', watchId)))
      .option('--name <name>', 'how people call it')
      .option('--no-goal', 'remove its goal')
      .option('--no-channels', 'tell no channel of it')
      .option('--no-sources', "collect from the service's own sources")
      .option('--no-reports-quiet', 'send no report without news')
      .option('--no-mute', 'tell every kind of news')
      .option('--no-filters', 'all requests are news; options that filter replace all filters of the watch')
      .action(change),
    subcommand('list', 'list the watches of the account').action(list),
    subcommand('show', 'show a watch and its next runs; counts as a look').argument('<watchId>', watchId).action(show),
    subcommand('pause', 'pause a watch').argument('<watchId>', watchId).action(pause),
    subcommand('resume', 'have a watch go on that is paused or asks').argument('<watchId>', watchId).action(resume),
    subcommand('run', 'run a watch now (costs credits)').argument('<watchId>', watchId).action(run),
    subcommand('runs', 'list the runs of a watch, the last first')
      .argument('<watchId>', watchId)
      .option('--limit <runs>', 'maximum to show, 1 to 100 (default: 20)', wholeNumber(1, 100))
      .option('--cursor <cursor>', 'continue where an earlier list ended')
      .action(history),
    subcommand('delete', 'delete a watch with its history and news; what it collected stays')
      .argument('<watchId>', watchId)
      .action(remove),
    newsCommand(),
  ])

const at = (watchId: string) => ({ path: { watchId } })
const onceAt = (watchId: string) => ({ path: { watchId }, header: once() })

const add = (topic: string, options: TermsOptions) =>
  printAnswer(
    options,
    (api) => api.POST('/api/v1/watches', { params: { header: once() }, body: { topic, ...fieldsOf(options) } }),
    ({ data }) => formatWatch(data),
  )

async function change(id: string, options: TermsOptions): Promise<void> {
  const body = changesOf(options)
  if (Object.keys(body).length === 0) {
    throw new CommandError('Give at least one option that says what changes.', exitCodes.usage)
  }
  await printAnswer(
    options,
    (api) => api.PATCH('/api/v1/watches/{watchId}', { params: at(id), body }),
    ({ data }) => formatWatch(data),
  )
}

const preview = (topic: string, options: TermsOptions) =>
  printAnswer(
    options,
    (api) => api.POST('/api/v1/watches/preview', { body: { topic, ...fieldsOf(options) } }),
    ({ data }) => formatPreview(data),
  )

const list = (options: Json) =>
  printAnswer(
    options,
    (api) => wholeList((query) => api.GET('/api/v1/watches', { params: { query } })),
    ({ data: { results } }) => formatList(results, watchRow, 'No watches.'),
  )

const show = (id: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.GET('/api/v1/watches/{watchId}', { params: at(id) }),
    ({ data }) => formatWatch(data),
  )

const pause = (id: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.PATCH('/api/v1/watches/{watchId}', { params: at(id), body: { state: 'paused' } }),
    ({ data }) => [`Paused. It goes on with: wishwell watches resume ${printable(data.watchId)}`],
  )

const resume = (id: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.PATCH('/api/v1/watches/{watchId}', { params: at(id), body: { state: 'active' } }),
    ({ data }) => formatWatch(data),
  )

const run = (id: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.POST('/api/v1/watches/{watchId}/run', { params: onceAt(id) }),
    ({ data: { jobId } }) => [`Started job ${printable(jobId)}. See it with: wishwell jobs show ${printable(jobId)}`],
  )

const history = (id: string, { json, ...query }: Query<'listWatchRuns'> & Json) =>
  printAnswer(
    { json },
    (api) => api.GET('/api/v1/watches/{watchId}/runs', { params: { ...at(id), query } }),
    pageLines(runRow, 'No runs.', `watches runs ${printable(id)}`, query),
  )

const remove = (id: string, options: Json) =>
  printAnswer(
    options,
    (api) => api.DELETE('/api/v1/watches/{watchId}', { params: at(id) }),
    ({ data }) => [`Deleted: ${printable(data.watchId)}`],
  )
