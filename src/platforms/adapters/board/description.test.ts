import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readBoard } from './description.ts'
import { readBoards } from './files.ts'

// Holds (Platforms): a wrong board description is refused with the place and what is expected

const good = {
  version: 1,
  name: 'acme',
  request: { url: 'https://acme.example/ideas?q={topic}&page={page}' },
  paging: { by: 'page', size: 20 },
  items: '$.ideas',
  fields: { id: '$.id', url: 'https://acme.example/ideas/{$.slug}', title: '$.title' },
}
const text = (change: object) => JSON.stringify({ ...good, ...change })

describe('a description', () => {
  it('is read', () => {
    expect(readBoard(text({}))).toMatchObject({ name: 'acme', title: 'acme', host: 'acme.example', maxPages: 20 })
  })

  it.each<[string | object, string]>([
    ['{', 'It is no JSON'],
    ['[]', 'must be object'],
    [' '.repeat(20_001), 'more than 20000 characters'],
    [{ version: 2 }, 'version must be equal to constant: 1'],
    [{ name: 'Acme Ideas' }, 'name must match pattern'],
    [{ titel: 'Acme' }, 'must NOT have additional properties: titel'],
    [{ request: {} }, "request must have required property 'url'"],
    [{ request: { url: 'ftp://acme.example/{page}' } }, 'request.url: must be a web address'],
    [{ request: { url: 'https://{topic}.example/{page}' } }, 'request.url: must be a web address'],
    [{ request: { url: 'https://me:pw@acme.example/{page}' } }, 'has a name or a password'],
    [{ request: { url: 'https://acme.example/{page}?key={secret}' } }, 'addresses are logged'],
    [{ request: { url: 'https://acme.example/' } }, 'paging: by page needs {page}'],
    [{ request: { url: 'https://acme.example/{page}', headers: { Host: 'a' } } }, 'Host cannot be set'],
    [{ request: { url: 'https://acme.example/{page}', headers: { A: 'b\r\nC: d' } } }, 'only visible ASCII'],
    [{ request: { url: 'https://acme.example/{page}', headers: { A: '{secret}' } } }, '{secret} stands for nothing'],
    [{ request: { url: 'https://acme.example/{page}', body: {} } }, 'only with the method POST'],
    [{ request: { url: 'https://acme.example/{limit}' }, paging: { by: 'none' } }, '{limit} needs its size'],
    [{ paging: { by: 'link' } }, 'paging'],
    [
      { paging: { by: 'cursor', next: '$.next[*]' }, request: { url: 'https://a.example/{cursor}' } },
      'paging.next: $.next[*] must name one value',
    ],
    [{ items: '$.ideas[*]' }, 'items: $.ideas[*] must name one value'],
    [{ items: 'ideas' }, 'items: ideas is no JSONPath'],
    [{ items: '$..ideas' }, '".." is not allowed'],
    [{ only: '@.a == $.b' }, 'only: only its beginning may be "$"'],
    [{ only: "match(@.a, '(a+)+')" }, 'only: '],
    [{ fields: { id: '$.id', url: '$.url' } }, 'fields: a title or a text is needed'],
    [{ fields: { id: '$.id', url: 'https://acme.example/x', title: '$.t' } }, 'fields.url: must be a path'],
    [{ fields: { id: '$.id', url: '$.url', title: '$[' } }, 'fields.title: $[ is no JSONPath'],
    [{ fields: { id: `$.${'a'.repeat(250)}`, url: '$.url', title: '$.t' } }, 'fields.id: a path has at most 200'],
    [{ statuses: { later: 'someday' } }, 'statuses.later must be equal to one of the allowed values: open'],
    [{ maxPages: 1_000 }, 'maxPages must be <= 100'],
    [{ budget: { calls: 1, seconds: 0 } }, 'budget.seconds must be >= 1'],
  ])('%j is refused', (given, message) => {
    expect(() => readBoard(typeof given === 'string' ? given : text(given))).toThrow(message)
  })
})

describe('the files of boards', () => {
  const write = (files: Record<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), 'wishwell-boards-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 })
    return (name: string) => join(folder, name)
  }
  const withSecret = text({ request: { ...good.request, headers: { Authorization: 'Bearer {secret}' } } })

  it('have their secret beside them, which nobody else may read', async () => {
    const path = write({ 'acme.json': withSecret, 'acme.secret': 'key-of-acme\n' })
    expect((await readBoards([path('acme.json')]))[0]!.secret).toBe('key-of-acme')
    chmodSync(path('acme.secret'), 0o644)
    await expect(readBoards([path('acme.json')])).rejects.toThrow('run chmod 600')
  })

  it('end the start of the service with what is wrong', async () => {
    const path = write({ 'a.json': text({}), 'b.json': text({}), 'c.json': withSecret })
    await expect(readBoards([path('none.json')])).rejects.toThrow(/^BOARD_FILES: file 1: there is no such file\.$/)
    await expect(readBoards([path('c.json')])).rejects.toThrow('{secret} stands for nothing')
    await expect(readBoards([path('a.json'), path('b.json')])).rejects.toThrow('two boards are called acme')
  })
})
