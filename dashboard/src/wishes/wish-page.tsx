import { wishesAddress } from '../shell/addresses.ts'
import { Loading, Page } from '../shell/page.tsx'
import { Problem } from '../shell/problem.tsx'
import { Link } from '../shell/router.tsx'
import { wishPageTexts as texts } from '../texts/later/wish.ts'
import { useRowKeys } from './keyboard.ts'
import { useWish } from './use-wish.ts'
import { WishBody } from './wish-body.tsx'

/** A wish at an address of its own. */
export function WishPage({ wishId }: { wishId: string }) {
  const query = useWish(wishId)
  const wish = query.data?.pages[0]
  useRowKeys({ rows: wish ? [wish] : [], openId: wishId, openBeside: null, goTo: () => {} })
  if (!wish) {
    const { error, refetch } = query
    return (
      <Page title={texts.loadingTitle}>{error === null ? <Loading /> : <Problem error={error} retry={refetch} />}</Page>
    )
  }
  return (
    <div className="wish-page">
      <p className="crumb">
        <Link href={wishesAddress}>{texts.title}</Link>
      </p>
      <Page title={wish.title}>
        <h2 className="unseen">{texts.about}</h2>
        <WishBody wish={wish} query={query} />
      </Page>
    </div>
  )
}
