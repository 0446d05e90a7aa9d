import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api, dataOf, once } from '../api/client.ts'
import { useIntention } from '../api/intention.ts'
import { useOwner } from '../api/session-store.ts'
import type { NewJob, PlatformName, PlatformStatus } from '../api/types.ts'
import { isTopic } from '../search/view.ts'
import { jobAddress } from '../shell/addresses.ts'
import { Empty, Loading } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { navigate } from '../shell/router.tsx'
import { usePlatforms, useYields } from '../shell/use-platforms.ts'
import { collectTexts as texts } from '../texts/later/collect.ts'
import { DepthField } from './depth-field.tsx'
import { Cost, isCreditRefusal, Refusal } from './job-cost.tsx'
import { isSetUp, PlatformChoice } from './platform-choice.tsx'
import { chosenAtFirst, depthAtFirst } from './prefilled.ts'
import { isAboutSources, type NamedSources, namedSources, SourceFields, sourcesAtFirst } from './source-fields.tsx'

const maxTopicLength = 200

/** The parameters of the address: topic, platforms, depth and sources of an earlier job. */
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

const newJob = (topic: string, platforms: PlatformName[], depth: number, sources?: NamedSources): NewJob => ({
  topic: topic.trim(),
  platforms,
  depth,
  maxCredits: depth * platforms.length,
  ...(sources === undefined ? {} : { sources }),
})

/** Starts a job and shows it. An equal job that is submitted again has the same `Idempotency-Key` until one was started. */
function useJobStart() {
  const owner = useOwner()
  const queries = useQueryClient()
  const { keyFor, done } = useIntention()
  return useMutation({
    mutationFn: (job: NewJob) => dataOf(api.POST('/api/v1/scrape', { body: job, params: once(keyFor(job)) })),
    onSuccess: ({ jobId }) => {
      done()
      void queries.invalidateQueries({ queryKey: [owner, 'jobs'] })
      void queries.invalidateQueries({ queryKey: [owner, 'usage'] })
      navigate(jobAddress(jobId))
    },
    // The account has fewer credits left than the form shows.
    onError: (error) => isCreditRefusal(error) && void queries.invalidateQueries({ queryKey: [owner, 'usage'] }),
  })
}

function Form({ platforms, prefilled }: { platforms: PlatformStatus[]; prefilled: URLSearchParams }) {
  const topicId = useId()
  const [topic, setTopic] = useState(() => [...(prefilled.get('topic') ?? '')].slice(0, maxTopicLength).join(''))
  const [chosen, setChosen] = useState(() => chosenAtFirst(platforms, prefilled))
  const [settled, setSettled] = useState(() => (isTopic(topic) ? topic.trim() : null))
  const yields = useYields(settled)
  const [depth, setDepth] = useState(() => depthAtFirst(prefilled))
  const [typedSources, setTypedSources] = useState(() => sourcesAtFirst(platforms, prefilled))
  const [fault, setFault] = useState<'topic' | 'platforms' | null>(null)
  const start = useJobStart()
  const named = namedSources(typedSources, chosen)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = !isTopic(topic) ? 'topic' : chosen.length === 0 ? 'platforms' : null
    setFault(found)
    if (found === 'topic') document.getElementById(topicId)?.focus()
    if (found === null && !start.isPending) {
      start.mutate(newJob(topic, chosen, depth, named))
    }
  }
  return (
    <form className="start-form" onSubmit={submit} noValidate>
      <TopicField
        id={topicId}
        topic={topic}
        setTopic={setTopic}
        settle={() => setSettled(isTopic(topic) ? topic.trim() : null)}
        isWrong={fault === 'topic'}
      />
      <PlatformChoice
        platforms={platforms.map((one) => ({ ...one, yield: yields?.get(one.platform) ?? one.yield }))}
        chosen={chosen}
        choose={setChosen}
        fault={fault === 'platforms' ? texts.platformsFault : null}
      />
      <SourceFields
        platforms={platforms}
        chosen={chosen}
        typed={typedSources}
        type={setTypedSources}
        refusal={start.error}
        sent={start.variables?.sources}
      />
      <DepthField depth={depth} setDepth={setDepth} />
      <div className="start-foot">
        <Cost depth={depth} platforms={chosen.length} />
        <button type="submit" className="primary large" disabled={start.isPending}>
          {start.isPending ? texts.starting : texts.start}
        </button>
      </div>
      <StartFailure start={start} />
    </form>
  )
}

/** Why no job was started. Tries again with the job that was refused; the form may have changed since. */
function StartFailure({ start: { error, variables: job, mutate } }: { start: ReturnType<typeof useJobStart> }) {
  if (error === null || job === undefined || isAboutSources(error, job.sources)) return null
  return <Refusal error={error} cost={job.maxCredits} retry={() => mutate(job)} />
}

interface TopicFieldProps {
  id: string
  topic: string
  setTopic: (topic: string) => void
  /** The topic is written. */
  settle: () => void
  isWrong: boolean
}

const TopicField = ({ id, topic, setTopic, settle, isWrong }: TopicFieldProps) => (
  <div className="field wide">
    <label htmlFor={id}>{texts.topic}</label>
    <input
      id={id}
      dir="auto"
      value={topic}
      maxLength={maxTopicLength}
      placeholder={texts.topicPlaceholder}
      aria-invalid={isWrong}
      aria-describedby={`${id}-fault`}
      onChange={(event) => setTopic(event.target.value)}
      onBlur={settle}
    />
    <p id={`${id}-fault`} className="fault" role="alert">
      {isWrong && texts.topicFault}
    </p>
  </div>
)
