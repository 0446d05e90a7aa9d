import { CopyButton } from '../shell/copy-button.tsx'
import { useAddress } from '../shell/router.tsx'
import { searchTexts as texts } from '../texts/search.ts'

/** Copies the address, which determines everything that is shown. */
export function ShareLink() {
  const { href } = useAddress()
  return <CopyButton text={href} label={texts.copyLink} />
}
