import type { Tier } from '../api/types.ts'
import { accountTexts } from '../texts/later/account.ts'

const tierOrder: Tier[] = ['free', 'pro', 'max']

interface TierSelectProps {
  id: string
  tier: Tier
  onChange: (tier: Tier) => void
  disabled?: boolean
}

export const TierSelect = ({ id, tier, onChange, disabled = false }: TierSelectProps) => (
  <select id={id} value={tier} disabled={disabled} onChange={(event) => onChange(event.target.value as Tier)}>
    {tierOrder.map((name) => (
      <option key={name} value={name}>
        {accountTexts.tiers[name]}
      </option>
    ))}
  </select>
)
