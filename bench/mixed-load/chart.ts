// Line charts as SVG. An image in a document cannot take the colours of its page, so it has its own for light and dark.

export interface Line {
  name: string
  /** Pairs of x and y; what is NaN is left out. */
  points: readonly (readonly [x: number, y: number])[]
}

export interface Chart {
  title: string
  /** Of the vertical axis, which begins at 0. */
  unit: string
  lines: readonly Line[]
}

const width = 760
const height = 250
const margin = { left: 62, right: 170, top: 34, bottom: 40 }
const plotWidth = width - margin.left - margin.right
const plotHeight = height - margin.top - margin.bottom
/** Distinguishable for colour-blind readers (Okabe and Ito), on white and on nearly black. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#7f7f7f', '#8a4fff']
const style = `
  svg { color: #24292f; background: #ffffff; font: 12px system-ui, sans-serif }
  @media (prefers-color-scheme: dark) { svg { color: #d1d7e0; background: #151b23 } }
  text { fill: currentColor } .title { font-weight: 600; font-size: 13px }
  .grid { stroke: currentColor; stroke-opacity: 0.15 } .axis { stroke: currentColor; stroke-opacity: 0.6 }
  polyline { fill: none; stroke-width: 1.5; stroke-linejoin: round }`

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
const short = (value: number) => String(Math.round(value * 10) / 10)

/** Round steps of an axis up to `max`: at most six. */
function ticksTo(max: number): number[] {
  const raw = max / 5
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10) * power
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, index) => index * step)
}

const number = (value: number) =>
  value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(Math.round(value * 1_000) / 1_000)

interface Scale {
  xTicks: number[]
  yTicks: number[]
  x(value: number): string
  y(value: number): string
}

function scaleOf(lines: readonly Line[]): Scale {
  const points = lines.flatMap((line) => line.points).filter(([, y]) => !Number.isNaN(y))
  const greatest = (values: number[]) => values.reduce((max, value) => Math.max(max, value), 0) || 1
  const xMax = greatest(points.map(([x]) => x))
  const yTicks = ticksTo(greatest(points.map(([, y]) => y)))
  const yMax = yTicks.at(-1)!
  return {
    xTicks: ticksTo(xMax).filter((tick) => tick <= xMax * 1.001),
    yTicks,
    x: (value) => short(margin.left + (value / xMax) * plotWidth),
    y: (value) => short(margin.top + plotHeight - (value / yMax) * plotHeight),
  }
}

function drawAxes({ xTicks, yTicks, x, y }: Scale, unit: string): string[] {
  const [left, right, bottom] = [margin.left, margin.left + plotWidth, margin.top + plotHeight]
  return [
    ...yTicks.flatMap((tick) => [
      `<line class="grid" x1="${left}" x2="${right}" y1="${y(tick)}" y2="${y(tick)}"/>`,
      `<text x="${left - 6}" y="${Number(y(tick)) + 4}" text-anchor="end">${number(tick)}</text>`,
    ]),
    ...xTicks.map((tick) => `<text x="${x(tick)}" y="${bottom + 16}" text-anchor="middle">${number(tick)}</text>`),
    `<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`,
    `<text x="${left + plotWidth / 2}" y="${height - 6}" text-anchor="middle">minutes</text>`,
    `<text transform="translate(14 ${margin.top + plotHeight / 2}) rotate(-90)" text-anchor="middle">${escaped(unit)}</text>`,
  ]
}

/** Draws one chart; the x of its points are minutes. */
export function drawChart({ title, unit, lines }: Chart): string {
  const scale = scaleOf(lines)
  const drawn = lines.flatMap(({ name, points }, index) => {
    const colour = colours[index % colours.length]
    const shown = points.filter(([, y]) => !Number.isNaN(y)).map(([x, y]) => `${scale.x(x)},${scale.y(y)}`)
    const top = margin.top + 8 + index * 18
    const side = margin.left + plotWidth + 12
    return [
      `<polyline stroke="${colour}" points="${shown.join(' ')}"/>`,
      `<line x1="${side}" x2="${side + 16}" y1="${top}" y2="${top}" stroke="${colour}" stroke-width="3"/>`,
      `<text x="${side + 22}" y="${top + 4}">${escaped(name)}</text>`,
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(`${title}, ${unit}, by minutes`)}</title>`,
    `<style>${style}\n</style>`,
    `<text class="title" x="${margin.left}" y="18">${escaped(title)}</text>`,
    ...drawAxes(scale, unit),
    ...drawn,
    '</svg>\n',
  ].join('\n')
}
