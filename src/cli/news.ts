import { Command } from 'commander'
import { isBeyondScope } from './answers.ts'
import { createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError } from './exit-codes.ts'
import type { ListedNews, ListedWatchNews, NewsSections } from './news-calls.ts'
import { environmentHelp, helpEnd, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, printJson, printLines } from './output.ts'
import { formatRow } from './rows.ts'
import { count, printable } from './text.ts'

const help = `${environmentHelp}

Exit codes: 0 done; 1 the service refused, or has no such watch; 2 the command line or the environment is wrong; 3 the service
cannot be reached; 5 too many requests.

Examples:
  wishwell watches news
  wishwell watches news --watch 8f0c2a53-6f0e-4a55-9d37-2f3a1f5c9b1e --mark-read`

interface NewsOptions {
  watch?: string
  since?: string
  limit?: number
  cursor?: string
  markRead: boolean
  json: boolean
}

const sections: readonly [keyof NewsSections, string][] = [
  ['newWishes', 'New'],
  ['grown', 'Growing'],
  ['completed', 'Completed'],
  ['declined', 'Declined'],
  ['other', 'Does not fit the goal'],
]

/** One line: title, what it gained, numbers, status, id. */
function formatItem({ wishId, title, votes, votesGained, requestsGained, platforms, status }: ListedNews): string {
  const facts = [
    ...(votesGained > 0 ? [`+${count(votesGained, 'vote')}`] : []),
    ...(requestsGained > 0 ? [`+${count(requestsGained, 'request')}`] : []),
    count(votes, 'vote'),
    platforms.join(', '),
    status?.replaceAll('_', ' ') ?? '',
  ]
  return `  ${formatRow({ title, facts, id: wishId })}`
}

/** The news of a watch as text. */
export function formatWatchNews(news: ListedWatchNews): string[] {
  const title = formatRow({ title: news.watchName, facts: [], id: news.watchId })
  const lines = sections.flatMap(([name, heading]) => {
    const items = news[name]
    const more = news.totals[name] - items.length
    if (news.totals[name] <= 0) return []
    return [
      ` ${heading} (${news.totals[name].toLocaleString('en-US')})`,
      ...items.map(formatItem),
      ...(more > 0 ? [`  and ${more.toLocaleString('en-US')} more`] : []),
    ]
  })
  return [title, ...(lines.length === 0 ? [' Nothing new.'] : lines)]
}

/** `wishwell watches news`: what is new in the watches of the account. */
export function newsCommand(): Command {
  return new Command('news')
    .description('show what is new, grew or was done in the watches since the news were last marked as read (free)')
    .option('--watch <watchId>', 'only of this watch')
    .option(
      '--since <date>',
      'instead the reports that became ready then or later: a UTC day, 2026-01-31, or an RFC 3339 date-time',
    )
    .option('--mark-read', 'mark what is shown as read', false)
    .option('--limit <watches>', 'maximum of watches to show, 1 to 20 (default: 10)', wholeNumber(1, 20))
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .option('--json', 'print only the answer of the service, as one JSON object', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell watches news --help shows every option)')
    .action(show)
}

async function show({ markRead, json, ...query }: NewsOptions): Promise<void> {
  exitWhenOutputCloses()
  const { news } = createApi(readClientConfig())
  const answer = await news.read(query)
  const { watches, cursor } = answer.data
  if (json) printJson(answer)
  else {
    printLines([
      ...(watches.length === 0 ? ['The account has no such watches.'] : watches.flatMap(formatWatchNews)),
      ...(cursor === null ? [] : [`More: wishwell watches news --cursor ${printable(cursor)}`]),
    ])
  }
  if (!markRead) return
  // Exactly what was shown: later reports stay unread.
  try {
    for (const { watchId, until } of watches) if (until !== null) await news.markRead({ watchId, until })
  } catch (error) {
    throw isBeyondScope(error) ? new CommandError(`Nothing was marked as read. ${error.message}`) : error
  }
}
