import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useUsage } from '../account/use-usage.ts'
import { type NewJob, startJob } from '../api/calls.ts'
import { type ApiError, isStatus } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { PlatformName, PlatformStatus } from '../api/types.ts'
import { isTopic } from '../search/view.ts'
import { accountAddress, jobAddress } from '../shell/addresses.ts'
import { dateAndTime } from '../shell/format.ts'
import { Empty, Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate } from '../shell/router.tsx'
import { usePlatforms } from '../shell/use-platforms.ts'
import { collectTexts as texts } from '../texts/collect.ts'
import { problemTexts } from '../texts/problems.ts'
import { isSetUp, PlatformChoice } from './platform-choice.tsx'

export const maxDepth = 40
const maxTopicLength = 200

/** What the address fills in: topic, platforms and depth of an earlier job. */
interface StartFormProps {
  prefilled: URLSearchParams
}

export function StartForm({ prefilled }: StartFormProps) {
  const platforms = usePlatforms()
  if (!platforms.data) {
    return platforms.error === null ? <Loading /> : <Problem error={platforms.error} retry={platforms.refetch} />
  }
  if (!platforms.data.some(isSetUp)) return <NothingReady platforms={platforms.data.filter(isOn)} />
  return <Form platforms={platforms.data} prefilled={prefilled} />
}

const isOn = ({ state }: PlatformStatus) => state !== 'off'

const NothingReady = ({ platforms }: { platforms: PlatformStatus[] }) => (
  <Empty title={texts.noPlatform}>
    <p>{texts.noPlatformAdvice}</p>
    <ul>
      {platforms.map(({ platform, advice }) => (
        <li key={platform}>{advice ?? platform}</li>
      ))}
    </ul>
  </Empty>
)

function chosenAtFirst(platforms: PlatformStatus[], prefilled: URLSearchParams): PlatformName[] {
  const named = new Set((prefilled.get('platforms') ?? '').split(',').filter((name) => name !== ''))
  const isChosen = ({ platform, isDefault }: PlatformStatus) => (named.size > 0 ? named.has(platform) : isDefault)
  return platforms.filter((status) => isSetUp(status) && isChosen(status)).map(({ platform }) => platform)
}

const depthAtFirst = (prefilled: URLSearchParams) => {
  const depth = Number(prefilled.get('depth'))
  return Number.isInteger(depth) && depth >= 1 && depth <= maxDepth ? depth : 1
}

function Form({ platforms, prefilled }: { platforms: PlatformStatus[]; prefilled: URLSearchParams }) {
  const id = useId()
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  const [topic, setTopic] = useState(() => [...(prefilled.get('topic') ?? '')].slice(0, maxTopicLength).join(''))
  const [chosen, setChosen] = useState(() => chosenAtFirst(platforms, prefilled))
  const [depth, setDepth] = useState(() => depthAtFirst(prefilled))
  const [fault, setFault] = useState<'topic' | 'platforms' | null>(null)
  const cost = depth * chosen.length
  const start = useMutation({
    mutationFn: (job: NewJob) => startJob(job, keyFor(job)),
    onSuccess: ({ data }) => {
      done()
      void queries.invalidateQueries({ queryKey: [owner, 'jobs'] })
      void queries.invalidateQueries({ queryKey: [owner, 'usage'] })
      navigate(jobAddress(data.jobId))
    },
    // What is left was less than the form believed.
    onError: (error) => isCreditRefusal(error) && void queries.invalidateQueries({ queryKey: [owner, 'usage'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = !isTopic(topic) ? 'topic' : chosen.length === 0 ? 'platforms' : null
    setFault(found)
    if (found === 'topic') document.getElementById(`${id}-topic`)?.focus()
    if (found === null && !start.isPending) {
      start.mutate({ topic: topic.trim(), platforms: chosen, depth, maxCredits: cost })
    }
  }
  return (
    <form className="start-form" onSubmit={submit} noValidate>
      <div className="field wide">
        <label htmlFor={`${id}-topic`}>{texts.topic}</label>
        <input
          id={`${id}-topic`}
          dir="auto"
          value={topic}
          maxLength={maxTopicLength}
          placeholder={texts.topicPlaceholder}
          aria-invalid={fault === 'topic'}
          aria-describedby={`${id}-topic-fault`}
          onChange={(event) => setTopic(event.target.value)}
        />
        <p id={`${id}-topic-fault`} className="fault" role="alert">
          {fault === 'topic' && texts.topicFault}
        </p>
      </div>
      <PlatformChoice
        platforms={platforms}
        chosen={chosen}
        choose={setChosen}
        fault={fault === 'platforms' ? texts.platformsFault : null}
      />
      <Depth depth={depth} setDepth={setDepth} />
      <div className="start-foot">
        <Cost depth={depth} platforms={chosen.length} />
        <button type="submit" className="primary large" disabled={start.isPending}>
          {start.isPending ? texts.starting : texts.start}
        </button>
      </div>
      {/* The job that was refused, not what the form says by now: nobody has asked for that. */}
      {start.error !== null && start.variables && (
        <Refusal error={start.error} cost={start.variables.maxCredits} retry={() => start.mutate(start.variables)} />
      )}
    </form>
  )
}

function Depth({ depth, setDepth }: { depth: number; setDepth: (depth: number) => void }) {
  const id = useId()
  return (
    <div className="field depth">
      <label htmlFor={id}>{texts.depth}</label>
      <input
        id={id}
        type="range"
        min={1}
        max={maxDepth}
        value={depth}
        aria-valuetext={texts.pages(depth)}
        onChange={(event) => setDepth(Number(event.target.value))}
      />
      <output htmlFor={id}>{texts.pages(depth)}</output>
    </div>
  )
}

const isCreditRefusal = (error: unknown): error is ApiError => isStatus(error, 429) && error.body?.reason === 'credits'

/** Why a job was not started. One that costs more than there is says both figures: there may be enough for a smaller one. */
function Refusal({ error, cost, retry }: { error: Error; cost: number; retry: () => void }) {
  const left = useCreditsLeft()
  if (!isCreditRefusal(error) || left === null || left === 0 || left >= cost) {
    return <Problem error={error} retry={retry} />
  }
  const resetsAt = error.body?.resetsAt
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{texts.tooDear(cost, left)}</strong> {resetsAt && texts.tooDearAdvice(dateAndTime(resetsAt))}
      </p>
      <Link href={accountAddress}>{problemTexts.toAccount}</Link>
    </div>
  )
}

/** What can be spent now, of the pool and of packs; null until it is known. */
function useCreditsLeft(): number | null {
  const usage = useUsage()
  return usage ? usage.credits.remaining + usage.paygBalance : null
}

/** What the job costs at most, and whether there is so much. */
function Cost({ depth, platforms }: { depth: number; platforms: number }) {
  const cost = depth * platforms
  const left = useCreditsLeft()
  return (
    <p className="cost" role="status">
      <strong>{texts.cost(cost)}</strong> <span className="note">{texts.costOf(depth, platforms)}</span>
      {left !== null && (
        <span className={cost > left ? 'note fault' : 'note'}>
          {cost > left ? texts.tooLittle(left) : texts.creditsLeft(left)}
        </span>
      )}
    </p>
  )
}
