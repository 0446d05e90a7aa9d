import { useQuery } from '@tanstack/react-query'
import { blocksOf } from '../../../src/sharing/briefs/blocks.ts'
import { api, dataOf } from '../api/client.ts'
import { useOwner } from '../api/session-store.ts'
import { ShareButton } from '../shares/share-button.tsx'
import { briefsAddress } from '../shell/addresses.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link, navigate } from '../shell/router.tsx'
import { briefTexts as texts } from '../texts/later/briefs.ts'
import { BriefBlock } from './brief-block.tsx'
import { DeleteBrief } from './delete-brief.tsx'
import { briefsKey } from './use-briefs.ts'

const formats = ['markdown', 'html', 'json'] as const

const fileAddress = (briefId: string, format: (typeof formats)[number]) =>
  `/api/v1/briefs/${encodeURIComponent(briefId)}/file?format=${format}`

/** A brief, to read and to print. It has the words of its files, in English: what is compared must be the same for everybody. */
export function BriefPage({ briefId }: { briefId: string }) {
  const owner = useOwner()
  const { data, error, refetch } = useQuery({
    queryKey: [...briefsKey(owner), 'one', briefId],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/briefs/{briefId}', { params: { path: { briefId } }, signal })),
  })
  if (!data)
    return <Page title={texts.one}>{error === null ? <Loading /> : <Problem error={error} retry={refetch} />}</Page>
  const [first, ...blocks] = blocksOf(data)
  const title = first?.kind === 'heading' ? first.text : texts.one
  return (
    <Page title={title} actions={<Actions briefId={briefId} snapshot={data.snapshot} />}>
      <p className="crumb">
        <Link href={briefsAddress}>{texts.all}</Link>
      </p>
      <article className="brief" lang="en">
        {blocks.map((block, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a brief never changes its order
          <BriefBlock key={at} block={block} />
        ))}
      </article>
      <section className="removal" aria-label={texts.delete}>
        <DeleteBrief briefId={briefId} name={title} onDeleted={() => navigate(briefsAddress)} />
      </section>
    </Page>
  )
}

function Actions({ briefId, snapshot }: { briefId: string; snapshot: string }) {
  const owner = useOwner()
  const { data: markdown } = useQuery({
    queryKey: [...briefsKey(owner), 'one', briefId, 'markdown'],
    queryFn: async ({ signal }) => {
      const params = { path: { briefId }, query: { format: 'markdown' as const } }
      const { data } = await api.GET('/api/v1/briefs/{briefId}/file', { params, parseAs: 'text', signal })
      return data as string
    },
  })
  return (
    <>
      {formats.map((format) => (
        <a
          key={format}
          className="button"
          href={fileAddress(briefId, format)}
          download={`brief-${snapshot.slice(0, 12)}.${format === 'markdown' ? 'md' : format}`}
          aria-label={texts.download(texts.formats[format])}
        >
          {texts.formats[format]}
        </a>
      ))}
      {markdown !== undefined && <CopyButton text={markdown} />}
      <ShareButton target={{ briefId }} />
      <button type="button" onClick={() => window.print()}>
        {texts.print}
      </button>
    </>
  )
}
