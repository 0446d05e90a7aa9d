import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { Overview } from '../api/types.ts'
import { operatorAccountAddress, operatorAddress } from '../shell/addresses.ts'
import { ago, bytes, dateAndTime, number, platformTitle } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { collectTexts } from '../texts/later/collect.ts'
import { operatorTexts as texts } from '../texts/later/operator.ts'

/** Whether the service is well, on one screen: what fails, what waits, and when it was last backed up. */
export function OverviewPage() {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'overview'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/admin/overview', { signal })),
    refetchInterval: 30_000,
  })
  return (
    <Page title={texts.overview}>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      {data && (
        <>
          <Health overview={data} />
          <Failing overview={data} />
          <Backup overview={data} />
          <Waiting overview={data} />
          <Corrections overview={data} />
        </>
      )}
    </Page>
  )
}

function Health({ overview: { isReady, warnings, version, startedAt, database, search } }: { overview: Overview }) {
  return (
    <>
      <p className="health" role="status">
        <span className={`badge ${isReady ? 'done' : 'failed'}`}>{isReady ? texts.ready : texts.notReady}</span>{' '}
        {texts.version(version)} · {texts.runsSince(ago(startedAt))}
      </p>
      {warnings.length > 0 && (
        <aside className="problem" aria-label={texts.warnings}>
          {warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </aside>
      )}
      <dl className="figures">
        <div>
          <dt>{texts.database}</dt>
          <dd>
            {bytes(database.bytes)}
            <span className="note">
              {texts.backends[database.backend]}
              {database.freeBytes !== null && `, ${texts.free(bytes(database.freeBytes))}`}
            </span>
          </dd>
        </div>
        <div>
          <dt>{texts.search}</dt>
          <dd>
            {search.isReady ? texts.ready : texts.notReady}
            <span className="note">
              {search.engine}
              {search.unreadChanges > 0 && `, ${texts.unread(number(search.unreadChanges))}`}
            </span>
          </dd>
        </div>
      </dl>
    </>
  )
}

/** Platforms and channels that fail. */
function Failing({ overview: { platforms, channels } }: { overview: Overview }) {
  const isWell = platforms.length === 0 && channels.accounts.length === 0
  return (
    <section aria-labelledby="failing">
      <h2 id="failing">{texts.failing}</h2>
      {isWell && <p className="note">{texts.nothingFails}</p>}
      <ul className="shares">
        {platforms.map(({ platform, state, lastError, lastSuccessAt, advice }) => (
          <li key={platform}>
            <p>
              <strong>{platformTitle(platform)}</strong> {collectTexts.platformState[state]}
              {lastError && (
                <>
                  {': '}
                  <bdi>{lastError.message}</bdi>
                </>
              )}
            </p>
            <p className="note">
              {lastSuccessAt === null ? texts.neverAnswered : texts.answered(ago(lastSuccessAt))} {advice}
            </p>
          </li>
        ))}
        {channels.accounts.map(({ accountId, name, failing, disabled, newest }) => (
          <li key={accountId}>
            <p>
              <Link href={operatorAccountAddress(accountId)}>
                <bdi>{name}</bdi>
              </Link>{' '}
              {texts.channels(failing, disabled)}
            </p>
            {newest.error && (
              <p className="note">
                {newest.type}: <bdi>{newest.error}</bdi>
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Backup({ overview: { backup } }: { overview: Overview }) {
  return (
    <section aria-labelledby="backup">
      <h2 id="backup">{texts.backup}</h2>
      {backup === null && <p>{texts.backupOfPostgres}</p>}
      {backup !== null && (
        <p className={backup.lastAt === null ? 'fault' : undefined}>
          {backup.lastAt === null ? (
            texts.noBackup
          ) : (
            <time dateTime={backup.lastAt} title={dateAndTime(backup.lastAt)}>
              {texts.backedUp(ago(backup.lastAt))}
            </time>
          )}
        </p>
      )}
      {backup !== null && backup.missingKeys.length > 0 && (
        <p className="note">{texts.backupLacks(backup.missingKeys)}</p>
      )}
    </section>
  )
}

/** What waits, the rows that are not empty; all of them folded. */
function Waiting({ overview: { backlogs } }: { overview: Overview }) {
  const counts = Object.entries(backlogs).flatMap(([name, value]) =>
    typeof value === 'number' && name in texts.backlogNames
      ? [[name as keyof typeof texts.backlogNames, value] as const]
      : [],
  )
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">{texts.waiting}</h2>
      <dl className="figures backlog">
        {counts.map(([name, value]) => (
          <div key={name}>
            <dt>{texts.backlogNames[name]}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
      {backlogs.judging && (
        <p className="note">
          {texts.judging(backlogs.judging.today, backlogs.judging.perDay, backlogs.judging.unanswered)}
        </p>
      )}
    </section>
  )
}

function Corrections({ overview: { corrections, purges } }: { overview: Overview }) {
  return (
    <section aria-labelledby="corrections">
      <h2 id="corrections">{texts.corrections}</h2>
      <p>{texts.correctionsCount(corrections.requests.count, corrections.wishes.count)}</p>
      <p>
        {texts.purgesCount(purges.count, purges.suppressed)}{' '}
        <Link href={`${operatorAddress}/purge`}>{texts.toPurge}</Link>
      </p>
    </section>
  )
}
