import type { TestService } from '../../../test/service.ts'

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const unescapeLabel = (text: string) =>
  text.replace(/\\(.)/g, (_all, character) => (character === 'n' ? '\n' : character))

/** Reads Prometheus' text format. @throws for a line of another form. */
export function parseExposition(text: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [, name, list = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`not a sample: ${line}`)
    const pairs = [...list.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/g)]
    if (pairs.map(([pair]) => pair).join('') !== list) throw new Error(`not labels: ${line}`)
    return {
      name,
      labels: Object.fromEntries(pairs.map(([, label = '', given = '']) => [label, unescapeLabel(given)])),
      value: Number(value.replace('+Inf', 'Infinity')),
    }
  })
}

/** The value of a sample; undefined where there is none. */
export const sampleValue = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}) =>
  samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value

/** What the endpoint of a service shows to the operator. */
export async function scrape(service: Pick<TestService, 'clientFor' | 'adminKey'>): Promise<Sample[]> {
  const { status, text } = await service.clientFor(service.adminKey).get('/metrics')
  if (status !== 200) throw new Error(`/metrics answered ${status}: ${text}`)
  return parseExposition(text)
}
