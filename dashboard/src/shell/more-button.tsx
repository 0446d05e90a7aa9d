import { shellTexts as texts } from '../texts/shell.ts'
import { Problem } from './problem.tsx'

interface PagedQuery {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  error: unknown
  fetchNextPage(): unknown
}

/** Loads the next page of a list. After a failure only the failed page is loaded again. */
export function MoreButton({ query }: { query: PagedQuery }) {
  if (query.isFetchNextPageError) return <Problem error={query.error} retry={() => query.fetchNextPage()} />
  if (!query.hasNextPage) return null
  return (
    <button
      type="button"
      className="more"
      disabled={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {query.isFetchingNextPage ? texts.loadingMore : texts.more}
    </button>
  )
}
