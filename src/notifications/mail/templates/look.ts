/** The colours of the dashboard (`dashboard/src/style/base.css`). */
export const light = {
  ground: '#fafafb',
  raised: '#ffffff',
  line: '#e2e4e9',
  ink: '#191b20',
  muted: '#595e6a',
  accent: '#4f46e5',
  onAccent: '#ffffff',
} as const

export const dark: Record<keyof typeof light, string> = {
  ground: '#101114',
  raised: '#17191e',
  line: '#2a2e37',
  ink: '#eceef2',
  muted: '#a3a9b6',
  accent: '#a8a3ff',
  onAccent: '#14122f',
}

export const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,'Noto Sans',sans-serif;"

const rules = (scope: string) =>
  [
    `${scope}.ground{background-color:${dark.ground}!important}`,
    `${scope}.card{background-color:${dark.raised}!important;border-color:${dark.line}!important}`,
    `${scope}.line{border-color:${dark.line}!important}`,
    `${scope}.ink{color:${dark.ink}!important}`,
    `${scope}.muted{color:${dark.muted}!important}`,
    `${scope}.accent{background-color:${dark.accent}!important}`,
    `${scope}.on-accent{color:${dark.onAccent}!important}`,
  ].join('')

/** Dark, where a program says so: by a media query, or Outlook's attributes. Phones get less of a margin. */
export const darkStyle = `:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){${rules('')}}${rules('[data-ogsc] ')}@media (max-width:480px){.card{padding:20px 18px!important}}`
