/** The dashboard's colors (`dashboard/src/style/base.css`), for mails and generated pages. */
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
