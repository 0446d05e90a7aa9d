/** Polls like what it is: text. Both colour schemes, narrow screens, and paper. */
export const referenceStyle = `:root { color-scheme: light dark; background: Canvas; color: CanvasText; font: 1rem/1.6 system-ui, sans-serif }
a { color: light-dark(#0b4fb3, #9ec1ff) }
body { margin: 0 auto; max-width: 60rem; padding: 1rem 1rem 4rem; overflow-wrap: anywhere }
h1, h2, h3, h4 { line-height: 1.25 }
h2 { margin-top: 2.5rem }
section { border-top: 1px solid GrayText; margin-top: 2rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9rem }
pre { border: 1px solid GrayText; border-radius: .5rem; overflow-x: auto; padding: .75rem }
.wide { overflow-x: auto }
table { border-collapse: collapse }
th, td { border-bottom: 1px solid GrayText; padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top }
th, td:not(:last-child) { overflow-wrap: normal }
td:last-child { min-width: 14rem }
td p { margin: 0 }
summary { cursor: pointer }
nav ul { list-style: none; padding: 0 }
nav li { margin: .25rem 0 }
`
