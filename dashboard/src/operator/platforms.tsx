import { useQuery } from '@tanstack/react-query'
import { api, wholeList } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import type { PlatformStatus } from '../api/types.ts'
import { Readiness } from '../collect/platform-choice.tsx'
import { ago, number, platformTitle } from '../shell/format.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { operatorTexts as texts } from '../texts/later/operator.ts'

/** Every platform: its state, its remaining budget, and advice. */
export function Platforms() {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [owner, 'platforms'],
    queryFn: async ({ signal }) =>
      (await wholeList((query) => api.GET('/api/admin/platforms', { params: { query }, signal }))).results,
    staleTime: 10_000,
  })
  return (
    <Page title={texts.platforms} intro={texts.platformsIntro}>
      {!data && (error === null ? <Loading /> : <Problem error={error} retry={refetch} />)}
      <ul className="platform-list">
        {data?.map((status) => (
          <PlatformLine key={status.platform} status={status} />
        ))}
      </ul>
    </Page>
  )
}

const PlatformLine = ({ status }: { status: PlatformStatus }) => (
  <li>
    <h2>{platformTitle(status.platform)}</h2>
    <Readiness status={status} />
    <p className="note">
      {status.isDefault ? texts.isDefault : texts.isNotDefault}
      {status.lastSuccessAt !== null && ` ${texts.answered(ago(status.lastSuccessAt))}`}
    </p>
    {status.hosts.length > 0 && (
      <ul className="hosts">
        {status.hosts.map((host) => (
          <li key={host.host}>
            <bdi>{host.host}</bdi>: {texts.budget(number(host.budget.remaining), number(host.budget.limit))}
            {host.quota && `, ${texts.quota(number(host.quota.remaining), number(host.quota.limit))}`}
            {host.failures > 0 && `, ${texts.failures(host.failures)}`}
          </li>
        ))}
      </ul>
    )}
  </li>
)
