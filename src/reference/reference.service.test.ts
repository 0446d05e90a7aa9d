import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { type ApiDocument, renderReference } from './page.ts'
import { boundsOf, shapeOf } from './shape.ts'

describe('the reference', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  it('has every call of the API document, under the policy of the page', async () => {
    const document = (await service.client.get('/openapi.json')).body as ApiDocument
    const answer = await service.clientFor(null).get('/docs')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    const calls = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `<code>${method.toUpperCase()} ${path}</code></h3>`),
    )
    expect(calls.length).toBeGreaterThan(30)
    for (const call of calls) expect(answer.body).toContain(call)
    expect(answer.body).not.toMatch(/<script|<style| style=| on\w+=/)
    const ids = [...answer.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target] of answer.text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
    const style = await service.clientFor(null).get('/docs/reference.css')
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
  })
})

describe('what the reference shows', () => {
  it('is always escaped', () => {
    const hostile = '<script>alert(1)</script> & "x" `<b>`'
    const page = renderReference({
      info: { title: hostile, version: hostile, description: hostile },
      paths: {
        [`/${hostile}`]: {
          get: {
            summary: hostile,
            description: `- ${hostile}\n- b`,
            tags: [hostile],
            parameters: [{ name: hostile, in: 'query', description: hostile, schema: { enum: [hostile] } }],
            requestBody: {
              content: { [hostile]: { schema: { properties: { [hostile]: { description: hostile } } } } },
            },
            responses: { [hostile]: { description: hostile } },
          },
        },
      },
    })
    expect(page).not.toMatch(/<script|<b>/)
    expect(page).toContain('<code>&lt;b&gt;</code>')
  })

  it('is the type of a value in the notation of TypeScript', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: {
        a: { enum: ['x', 'y'], description: 'Which' },
        b: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
        c: { type: 'array', items: { type: 'object', properties: {} } },
        d: { type: 'object', additionalProperties: { type: 'integer' } },
        e: { type: 'array', items: { enum: [1, 2] } },
      },
    }
    expect(shapeOf(schema)).toBe(`{
  a: "x" | "y"  // Which
  b?: string (date-time) | null
  c?: {}[]
  d?: {
    [name]: integer
  }
  e?: (1 | 2)[]
}`)
    expect(boundsOf({ minimum: 1, maximum: 40, default: 1 })).toBe('1 to 40, default 1')
    expect(boundsOf({ maxLength: 200 })).toBe('at most 200 characters')
    expect(boundsOf({ minimum: 0 })).toBe('at least 0')
  })
})
