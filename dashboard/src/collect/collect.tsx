import { Page } from '../shell/page.tsx'
import { useAddress } from '../shell/router.tsx'
import { collectTexts as texts } from '../texts/collect.ts'
import { History } from './history.tsx'
import { StartForm } from './start-form.tsx'

/** Starting a collection, and those that were started before. A link may fill the form in. */
export function CollectPage() {
  const { search } = useAddress()
  return (
    <Page title={texts.title} intro={texts.intro}>
      <StartForm key={search} prefilled={new URLSearchParams(search)} />
      <History />
    </Page>
  )
}
