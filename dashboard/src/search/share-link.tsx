import { CopyButton } from '../shell/copy-button.tsx'
import { useAddress } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'

/** Everything that is shown is in the address, so the address is what one shares. */
export function ShareLink() {
  const { href } = useAddress()
  return <CopyButton text={href} label={texts.copyLink} />
}
