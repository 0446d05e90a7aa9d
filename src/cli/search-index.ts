import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { answerOf } from './api.ts'
import type { Data } from './api-types.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import type { Operator } from './operator.ts'
import { operate, operatorCommand } from './operator-command.ts'
import { noteLines } from './output.ts'
import { printable } from './text.ts'

type Status = Data<'readSearchIndex'>
type IndexStatus = Status['indexes'][number]

const pollMs = 1_000

const describeIndex = (index: IndexStatus): string =>
  [
    printable(index.name),
    index.state === 'building' && index.isCopied ? 'building, all requests are copied' : index.state,
    ...(index.documents === null ? [] : [`${index.documents} requests`]),
    ...(index.bytes === null ? [] : [`${Math.ceil(index.bytes / 1_000_000)} MB`]),
    index.unreadChanges === 0
      ? 'up to date'
      : `${index.unreadChanges} changes behind, ${(index.lagMs / 1_000).toFixed(1)} s`,
  ].join('; ')

function describe({ engine, isReachable, indexes }: Status): string[] {
  if (engine !== 'opensearch')
    return [`Searches read the database (${printable(engine)}); its index is always complete.`]
  return [
    isReachable
      ? 'The search cluster answers.'
      : 'The search cluster cannot be reached: searches fail, and changes wait.',
    ...indexes.map(describeIndex),
  ]
}

/** Waits until no index is being built. */
async function waitForIndex({ api }: Operator): Promise<void> {
  let last = ''
  for (;;) {
    const { data } = await answerOf(api.GET('/api/admin/search-index'))
    const lines = describe(data)
    if (lines.join('\n') !== last) noteLines(lines)
    last = lines.join('\n')
    if (!data.indexes.some(({ state }) => state === 'creating' || state === 'building')) return
    await sleep(pollMs)
  }
}

function statusCommand(): Command {
  return operatorCommand(
    'status',
    'show the search index, and how far it is behind the database; exit code 1 when the cluster is away',
  ).action(async (options: { json: boolean }) => {
    let isReachable = true
    await operate(
      options,
      ({ api }) => api.GET('/api/admin/search-index'),
      (status) => {
        isReachable = status.isReachable
        return describe(status)
      },
    )
    if (!isReachable)
      throw new CommandError('The search cluster cannot be reached. Check SEARCH_URL.', exitCodes.failed)
  })
}

function rebuildCommand(): Command {
  return operatorCommand(
    'rebuild',
    'build the search index in the cluster anew, while the present one serves',
    '\nA running service or worker builds it; --wait follows it.\n',
  )
    .option('--wait', 'wait until the new index serves', false)
    .action((options: { json: boolean; wait: boolean }) =>
      operate(
        options,
        async (operator) => {
          const begun = await operator.api.POST('/api/admin/search-index/rebuild')
          if (!options.wait) return begun
          await waitForIndex(operator)
          return operator.api.GET('/api/admin/search-index')
        },
        describe,
      ),
    )
}

/** `wishwell admin search-index`: the state of a search cluster's index, and rebuilding it. */
export const searchIndexCommand = (): Command =>
  new Command('search-index')
    .description('show or rebuild the search index of a cluster (SEARCH_URL)')
    .addCommand(statusCommand())
    .addCommand(rebuildCommand())
