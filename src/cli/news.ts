import type { Command } from 'commander'
import { riseInWords } from '../watches/news/rise-words.ts'
import { isBeyondScope } from './answers.ts'
import { answerOf, createApi } from './api.ts'
import type { Data, Query } from './api-types.ts'
import { addJson, clientCommand, moreOf } from './client-command.ts'
import { readClientConfig } from './client-config.ts'
import { CommandError } from './exit-codes.ts'
import { defined, wholeNumber } from './options.ts'
import { exitWhenOutputCloses, formatRow, printJson, printLines } from './output.ts'
import { count, printable } from './text.ts'
import { problemLines } from './watch-lines.ts'

const help = {
  failed: 'the service refused, or has no such watch',
  examples: `  wishwell watches news
  wishwell watches news --watch 8f0c2a53-6f0e-4a55-9d37-2f3a1f5c9b1e --mark-read`,
}

type WatchNews = Data<'readNews'>['results'][number]
type Section = keyof WatchNews['totals']

const sections: readonly [Section, string][] = [
  ['rising', 'Rising'],
  ['newWishes', 'New'],
  ['grown', 'Growing'],
  ['completed', 'Completed'],
  ['declined', 'Declined'],
  ['other', 'Does not fit the goal'],
]

/** One line: title, gains, numbers, status, id. */
function formatItem(item: WatchNews[Section][number]): string {
  const { wishId, title, votes, votesGained, requestsGained, platforms, status, rise } = item
  const facts = [
    ...(rise === null ? [] : [riseInWords(rise)]),
    ...(votesGained > 0 ? [`+${count(votesGained, 'vote')}`] : []),
    ...(requestsGained > 0 ? [`+${count(requestsGained, 'request')}`] : []),
    count(votes, 'vote'),
    platforms.join(', '),
    status?.replaceAll('_', ' ') ?? '',
  ]
  return `  ${formatRow({ title, facts, id: wishId })}`
}

function formatWatchNews(news: WatchNews): string[] {
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
  const rise = news.topicRise === null ? [] : [` The topic is rising: ${riseInWords(news.topicRise)}`]
  const problems = problemLines(news.problems).map((line) => ` Its last run was told: ${printable(line)}`)
  return [title, ...problems, ...rise, ...(lines.length === 0 ? [' Nothing new.'] : lines)]
}

/** `wishwell watches news`: what is new in the account's watches. */
export function newsCommand(): Command {
  const description = 'show what is new, grew or was done in the watches since the news were last marked as read (free)'
  return addJson(clientCommand('watches news', description, help))
    .option('--watch <watchId>', 'only of this watch')
    .option(
      '--since <date>',
      'instead the reports that became ready then or later: a UTC day, 2026-01-31, or an RFC 3339 date-time',
    )
    .option('--mark-read', 'mark what is shown as read', false)
    .option('--limit <watches>', 'maximum of watches to show, 1 to 20 (default: 10)', wholeNumber(1, 20))
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .action(show)
}

type NewsOptions = Omit<Query<'readNews'>, 'watchId'> & { watch?: string; markRead: boolean; json: boolean }

async function show({ markRead, json, ...given }: NewsOptions): Promise<void> {
  const { watch: watchId, ...rest } = given
  const query = defined({ watchId, ...rest })
  exitWhenOutputCloses()
  const api = createApi(readClientConfig())
  const answer = await answerOf(api.GET('/api/v1/news', { params: { query } }))
  const { results: watches, cursor } = answer.data
  if (json) printJson(answer)
  else {
    printLines([
      ...(watches.length === 0 ? ['The account has no such watches.'] : watches.flatMap(formatWatchNews)),
      ...moreOf('watches news', given, cursor),
    ])
  }
  if (!markRead) return
  // Marks exactly what was shown: later reports stay unread.
  try {
    for (const { watchId, until } of watches)
      if (until !== null) await api.POST('/api/v1/news/read', { body: { watchId, until } })
  } catch (error) {
    throw isBeyondScope(error) ? new CommandError(`Nothing was marked as read. ${error.message}`) : error
  }
}
