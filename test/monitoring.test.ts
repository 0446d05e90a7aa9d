import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { catalogue, type Label, type SeriesName } from '../src/operations/metrics/catalogue.ts'

// Holds (Monitoring): alerts and Grafana name only existing series and labels, and docs/operating.md has each alert

// Alerts and the dashboard are written by hand: what they name must exist.

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The alerts of the rule file, by name. The expressions are on one line or folded (`>-`). */
const alerts = new Map(
  [
    ...read('docs/monitoring/alerts.yml').matchAll(/- alert: (\w+)\n\s+expr: (?:>-\n)?([\s\S]*?)\n\s+(?:for|labels):/g),
  ].map(([, name = '', expression = '']) => [name, expression.replaceAll(/\s+/g, ' ').trim()]),
)
const panels: { title: string; targets?: { expr: string }[] }[] = JSON.parse(
  read('docs/monitoring/grafana.json'),
).panels
const expressions: [where: string, expression: string][] = [
  ...alerts,
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
]

/** What Prometheus adds to the labels of a series. */
const addedLabels = ['le', 'instance', 'job']

/** The series of a name in an expression. */
function seriesOf(name: string): SeriesName | undefined {
  if (name in catalogue) return catalogue[name as SeriesName].kind === 'histogram' ? undefined : (name as SeriesName)
  const base = name.replace(/_(bucket|count|sum)$/, '')
  return base in catalogue && catalogue[base as SeriesName].kind === 'histogram' ? (base as SeriesName) : undefined
}

interface Use {
  name: string
  series: SeriesName | undefined
  /** In its braces. */
  labels: string[]
}
const usesIn = (expression: string): Use[] =>
  [...expression.matchAll(/\b((?:wishwell|process)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', braces = '']) => ({
    name,
    series: seriesOf(name),
    labels: [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }))

describe('alerts and the dashboard', () => {
  it('are read by this test', () => {
    expect(alerts.size).toBe(read('docs/monitoring/alerts.yml').split('- alert:').length - 1)
    expect(alerts.size).toBeGreaterThan(10)
    expect(panels.length).toBeGreaterThan(20)
  })

  it.each(expressions)('name series and labels that exist: %s (%s)', (_where, expression) => {
    const uses = usesIn(expression)
    if (!expression.startsWith('up{')) expect(uses).not.toEqual([])
    const known = new Set<string>(addedLabels)
    for (const { name, series, labels } of uses) {
      expect(series, `${name} is a series`).toBeDefined()
      const own: readonly Label[] = catalogue[series!].labels
      for (const label of own) known.add(label)
      for (const label of labels) expect(own, `${name} has the label ${label}`).toContain(label)
    }
    const grouped = [...expression.matchAll(/\b(?:by|without|on) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(/, ?/),
    )
    for (const label of grouped) expect([...known], `the label ${label}`).toContain(label)
  })

  it.each(expressions)(
    'take rates of counters only, and never add up what all processes share: %s (%s)',
    (_where, expression) => {
      for (const [, name = ''] of expression.matchAll(/(?:rate|increase)\((\w+)/g)) {
        expect(catalogue[seriesOf(name)!].kind, name).not.toBe('gauge')
      }
      for (const [, name = ''] of expression.matchAll(/sum(?: by \([^)]*\))? ?\((?:rate\()?(\w+)/g)) {
        const series = seriesOf(name)
        if (series !== undefined) expect('isShared' in catalogue[series], `the sum of ${name}`).toBe(false)
      }
    },
  )

  it('show every series that is not only for a look by hand', () => {
    const used = new Set(expressions.flatMap(([, expression]) => usesIn(expression).map(({ series }) => series)))
    expect((Object.keys(catalogue) as SeriesName[]).filter((name) => !used.has(name))).toEqual([])
  })

  it('are explained: docs/operating.md has a section for each alert, and for no other', () => {
    const sections = [...read('docs/operating.md').matchAll(/^### (Wishwell\w+)$/gm)].map(([, name]) => name)
    expect(sections).toEqual([...alerts.keys()])
  })
})
