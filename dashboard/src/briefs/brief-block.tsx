import type { Block, Inline } from '../../../src/sharing/briefs/lines.ts'

const isWebAddress = (url: string | null): url is string => /^https?:\/\//i.test(url ?? '')

/** Texts of others are text nodes, links lead to the web only. */
const Part = ({ part }: { part: Inline }) => {
  if (typeof part === 'string') return <bdi>{part}</bdi>
  if (!isWebAddress(part.url)) return <bdi>{part.text}</bdi>
  return (
    <a href={part.url} target="_blank" rel="noopener noreferrer nofollow ugc" dir="auto">
      {part.text}
    </a>
  )
}

const Parts = ({ parts }: { parts: readonly Inline[] }) => (
  <>
    {parts.map((part, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a brief never changes its order
      <Part key={at} part={part} />
    ))}
  </>
)

/** One block of a brief. */
export function BriefBlock({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return block.level === 3 ? <h3 dir="auto">{block.text}</h3> : <h2 dir="auto">{block.text}</h2>
    case 'line':
      return (
        <p className={`brief-${block.tone}`}>
          <Parts parts={block.parts} />
        </p>
      )
    case 'quote':
      return (
        <blockquote>
          <p dir="auto">
            “{block.text}
            {block.isWhole ? '' : ' …'}”
          </p>
          <footer className="note">
            <Parts parts={block.origin} />
          </footer>
        </blockquote>
      )
    case 'ranking':
      return (
        <ol className="brief-ranking">
          {block.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a brief never changes its order
            <li key={at}>
              <Parts parts={row} />
            </li>
          ))}
        </ol>
      )
  }
}
