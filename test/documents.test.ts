import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { currentDocuments } from '../scripts/docs.ts'
import { createProgram } from '../src/cli/program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json'))
const isElsewhere = (path: string) => /(^|\/)(node_modules|dist|\.[^/]+)$/.test(path) || path === 'data'
const documents = globSync('**/*.md', { cwd: root, exclude: isElsewhere })

/** A document without its blocks of code. */
const proseOf = (text: string) => text.replace(/^( *)```[\s\S]*?^\1```$/gm, '')

/** The addresses of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const headings = [...proseOf(read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  const slugs = headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set(slugs)
}

/** The relative links and images of a document that lead nowhere. */
function brokenLinks(path: string): string[] {
  const prose = proseOf(read(path)).replace(/`[^`\n]*`/g, '')
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(([, link, image]) => link ?? image ?? '')
  const relative = links.filter((link) => !/^[a-z]+:/.test(link))
  return relative.filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : join(dirname(path), file)
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(target).has(anchor)
  })
}

const program = await createProgram()

/** A command of the program by its names, such as `account` and `list`. */
const findCommand = (names: string[]) =>
  names.reduce<Command | undefined>(
    (command, name) => command?.commands.find((inner) => inner.name() === name),
    program,
  )

describe('the documents', () => {
  it('are what the code makes of them (npm run docs)', () => {
    for (const { file, text } of currentDocuments()) expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('have only links to files and headings that exist', () => {
    expect(documents).toContain('README.md')
    expect(documents).toContain(join('docs', 'operating.md'))
    const broken = documents.flatMap((path) => brokenLinks(path).map((link) => `${path}: ${link}`))
    expect(broken).toEqual([])
  })

  it('name only scripts and commands that exist', () => {
    const all = documents.map(read).join('\n')
    const scripts = [...all.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script)
    expect(scripts.length).toBeGreaterThan(5)
    for (const script of scripts) expect(Object.keys(manifest.scripts)).toContain(script)

    const commands = [
      ...all.matchAll(
        /npx wishwell ((?:admin (?:accounts|keys|suppressions|detection|search-index)|jobs|wishes|watches|channels|feeds) [a-z-]+|admin [a-z-]+|[a-z]+)/g,
      ),
    ]
    expect(commands.length).toBeGreaterThan(10)
    for (const [text, names = ''] of commands) expect(findCommand(names.split(' ')), text).toBeDefined()
  })

  it('show an agent only commands and options that exist', () => {
    const skill = read('skills/wishwell/SKILL.md')
    expect(skill).toMatch(/^---\nname: wishwell\ndescription: .{1,1024}\n/)
    const lines = [...skill.matchAll(/(?:^|`)wishwell ([^`\n#]+)/gm)].map(([, line = '']) => line.trim())
    expect(lines.length).toBeGreaterThan(10)
    for (const line of lines.filter((one) => !one.startsWith('COMMAND'))) {
      const [first = '', second = ''] = line.split(' ')
      const command = findCommand([first, second]) ?? findCommand([first])
      const options = [...(command?.options ?? []), ...program.options].map(({ long }) => long)
      expect(command?.commands, line).toEqual([])
      for (const [option] of line.matchAll(/(?<= )--[a-z-]+/g)) expect(options, line).toContain(option)
    }
  })

  it('give every decision its number, a title and a status, in at most 200 words', () => {
    const decisions = documents.filter((path) => dirname(path) === join('docs', 'decisions'))
    expect(decisions.length).toBeGreaterThan(10)
    expect(decisions.length).toBeLessThanOrEqual(30)
    for (const path of decisions) {
      const number = path.match(/(\d{3})-[a-z0-9-]+\.md$/)?.[1]
      expect(read(path), path).toMatch(new RegExp(`^# ${number}: [^\\n]+\\n\\nStatus: (accepted|superseded)`))
      expect(read(path).trim().split(/\s+/).length, path).toBeLessThanOrEqual(200)
    }
  })

  it('explain every dependency, and every version is exact', () => {
    const page = read('docs/dependencies.md')
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
      expect(page).toContain(name.startsWith('@types/') ? '`@types/*`' : `\`${name}\``)
    }
  })

  it('name for each threat tests that exist', () => {
    const page = read('docs/security.md')
    const tests = [...page.matchAll(/\]\(\.\.\/((?:src|test)\/[\w./-]+)\)/g)].map(([, path]) => path ?? '')
    expect(new Set(tests).size).toBeGreaterThan(30)
    for (const path of tests) {
      expect(path).toMatch(/\.test\.ts$/)
      expect(() => read(path)).not.toThrow()
    }
    // Every line of its tables says which test would fail.
    const lines = page.split('\n').filter((line) => /^\| (?!(attack|mistake|---) \|)/.test(line))
    for (const line of lines) expect(line).toMatch(/test/)
  })

  it('name only files that exist', () => {
    const files = globSync('**/*.{ts,tsx}', { cwd: root, exclude: isElsewhere })
    const named = documents
      .filter((path) => !path.includes('decisions'))
      .flatMap((path) =>
        [...read(path).matchAll(/`((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.tsx?)`/g)].map(([, name = '']) => ({
          path,
          name,
        })),
      )
    expect(named.length).toBeGreaterThan(100)
    // `x.test.ts` and a migration of the future stand for any.
    const isThere = (name: string) => /^(x\.|\d)/.test(name) || files.some((file) => `/${file}`.endsWith(`/${name}`))
    expect(named.filter(({ name }) => !isThere(name))).toEqual([])
  })
})
