import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { childEnvironment } from '../child-environment.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** An example of a document: a block of code that says `run`, and the block behind it that has what it answers. */
export interface Example {
  language: 'sh' | 'js'
  code: string
  /** What the document says that it prints; null where it says nothing. */
  answer: { language: 'json' | 'text'; text: string } | null
  /** Where the text of the answer stands in the document. */
  start: number
  end: number
}

const pattern = /^```(sh|js) run\n([\s\S]*?)^```\n(?:\n```(json|text)\n([\s\S]*?)^```\n)?/gm

export function examplesIn(document: string): Example[] {
  return [...document.matchAll(pattern)].map((match) => {
    const [whole, language, code, kind, text = ''] = match
    const end = match.index + whole.length - '```\n'.length
    return {
      language: language as Example['language'],
      code: code!,
      answer: kind === undefined ? null : { language: kind as 'json' | 'text', text },
      start: end - text.length,
      end,
    }
  })
}

/** A folder in which `npx wishwell` is this clone, and so is the package `wishwell`. */
export function createFolder(): { directory: string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'wishwell-examples-'))
  const command = `exec "${process.execPath}" --disable-warning=ExperimentalWarning "${join(root, 'src/main.ts')}" "$@"`
  mkdirSync(join(directory, 'bin'))
  writeFileSync(join(directory, 'bin/npx'), `#!/bin/sh\nshift\n${command}\n`, { mode: 0o755 })
  return { directory, remove: () => rmSync(directory, { recursive: true }) }
}

/** Runs an example. @returns what it printed @throws with its messages when it fails */
export async function runExample(
  { language, code }: Example,
  directory: string,
  environment: Record<string, string>,
): Promise<string> {
  const script = join(directory, language === 'js' ? 'example.mjs' : 'example.sh')
  // The package is not built in a clone.
  writeFileSync(script, code.replace("'wishwell/client'", `'${pathToFileURL(join(root, 'client/client.ts'))}'`))
  const [program, ...parameters] = language === 'js' ? [process.execPath, script] : ['bash', '-euo', 'pipefail', script]
  const path = `${join(directory, 'bin')}:${process.env.PATH}`
  const child = spawn(program!, parameters, {
    env: { ...childEnvironment, ...environment, PATH: path },
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, messages] = await Promise.all([child.stdout, child.stderr].map((stream) => stream.toArray()))
  const status = child.exitCode ?? (await new Promise((resolve) => child.on('exit', resolve)))
  const text = Buffer.concat(output!).toString()
  if (status !== 0) throw new Error(`${code}ended with ${status}: ${text}${Buffer.concat(messages!)}`)
  return text
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const secrets = /\b(whsec_|ww_live_)[\w+/=-]+/g
const longest = 60
/** A list of words that is shown whole; of others, the first item. */
const shortList = 6
/** A record within a record is not shown. */
const recordSize = 10

const shortenText = (text: string): string => {
  const known = text
    .replace(/^([0-9a-f]{4})[0-9a-f]{4}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '$1…')
    .replace(secrets, '$1…')
    .replace(/http:\/\/(\w+)\.localhost:\d+/, 'https://$1.example')
  return known.length > longest ? `${known.slice(0, longest).trimEnd()}…` : known
}

function shorten(value: Json, isInRecord = false): Json {
  if (Array.isArray(value)) {
    const isShort = value.length <= shortList && value.every((item) => typeof item === 'string')
    return (isShort ? value : value.slice(0, 1)).map((item) => shorten(item, isInRecord))
  }
  if (typeof value === 'string') return shortenText(value)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value)
  const isRecord = entries.length > recordSize
  if (isRecord && isInRecord) return '…'
  return Object.fromEntries(entries.map(([name, inner]) => [name, shorten(inner, isRecord || isInRecord)]))
}

/** An answer as a document has it: lists with one item, texts and ids by their beginnings. */
export const recorded = (answer: string, language: 'json' | 'text'): string =>
  language === 'text' ? answer : `${JSON.stringify(shorten(JSON.parse(answer)), null, 2)}\n`

/** What stays the same from one run to the next: the names of an answer and the types of its values. */
export function formOf(value: Json): unknown {
  if (Array.isArray(value)) return value.length === 0 ? 'list' : [formOf(value[0]!)]
  if (value === null || typeof value !== 'object') return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, formOf(inner)]))
}

export const readDocument = (name: string): string => readFileSync(join(root, 'docs', `${name}.md`), 'utf8')
export const writeDocument = (name: string, text: string): void => writeFileSync(join(root, 'docs', `${name}.md`), text)
