import { createHash } from 'node:crypto'
import { dark, font, light } from '../../http/appearance.ts'

const variables = (colours: Record<keyof typeof light, string>) =>
  Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';')

/** The page's only stylesheet: phone first, light and dark, and print. */
export const style = `:root{color-scheme:light dark;${variables(light)}}
@media (prefers-color-scheme:dark){:root{${variables(dark)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);${font}font-size:17px;line-height:26px;overflow-wrap:anywhere}
main,header,footer{max-width:720px;margin:0 auto;padding:0 20px}
.brand{display:flex;align-items:center;gap:9px;margin:24px 0;font-weight:700;font-size:16px}
.brand::before{content:"";width:12px;height:12px;background:var(--accent);border-radius:12px 12px 12px 3px}
h1{margin:0;font-size:26px;line-height:33px}
h2{margin:36px 0 4px;font-size:18px;line-height:26px}
h3,li h2{margin:0;font-size:17px;line-height:25px}
p{margin:8px 0 0}
.label,.facts,.origin,footer,small{color:var(--muted);font-size:15px;line-height:22px}
.label{margin:0 0 4px}
.mark{display:inline-block;margin-top:12px;padding:3px 12px;border:1px solid var(--accent);border-radius:99px;font-size:15px;line-height:22px}
.note{margin:12px 0 0;padding:8px 14px;border-inline-start:3px solid var(--accent);white-space:pre-line}
ol{margin:8px 0 0;padding:0;list-style:none}
li{padding:14px 0;border-top:1px solid var(--line)}
.text{white-space:pre-line}
ol.links{display:flex;flex-wrap:wrap;gap:4px 18px}
ol.links li{padding:4px 0;border:0}
a{color:var(--accent);text-underline-offset:3px}
a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
blockquote{margin:14px 0 0;padding:0 0 2px 16px;border-inline-start:3px solid var(--accent)}
blockquote p{margin:0}
blockquote footer{max-width:none;margin:2px 0 0;padding:0}
main>h3{margin-top:30px}
.ranking{list-style:decimal;padding-inline-start:24px}
.ranking li{padding:4px 0;border:0;font-weight:600}
.removed{color:var(--muted);font-style:italic}
figure{margin:20px 0 0}
svg{display:block;width:100%;height:56px;fill:var(--accent)}
figcaption{margin-top:6px}
footer{margin-top:48px;padding-bottom:40px}
@media print{:root{${variables({ ...light, ground: '#ffffff', accent: '#191b20' })}}body{font-size:11pt;line-height:15pt}li,figure{break-inside:avoid}h2{break-after:avoid}a[href^="http"]::after{content:" (" attr(href) ")";font-size:9pt}}`

/** For a Content-Security-Policy that allows only this stylesheet. */
export const styleHash: string = createHash('sha256').update(style).digest('base64')
