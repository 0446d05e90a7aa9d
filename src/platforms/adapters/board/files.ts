import { readFile, stat } from 'node:fs/promises'
import { ConfigError } from '../../../runtime/config-error.ts'
import { type Board, readBoard } from './description.ts'
import { BoardError } from './paths.ts'

const maxBytes = 100_000

/** @returns null if the file does not exist @throws BoardError if it is too large */
async function readText(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null)
  if (found === null) return null
  if (!found.isFile() || found.size > maxBytes) throw new BoardError(`it is no file of at most ${maxBytes} bytes.`)
  return await readFile(path, 'utf8')
}

/** `{secret}` is the first line of the `.secret` file of the same name, private to its owner. @throws BoardError */
async function readSecret(path: string): Promise<string | undefined> {
  const beside = `${path.replace(/\.json$/, '')}.secret`
  const text = await readText(beside)
  if (text === null) return undefined
  const { mode } = await stat(beside)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new BoardError(`others can read ${beside}: run chmod 600.`)
  const [secret = ''] = text.split(/\r?\n/, 1)
  if (!/^[\x21-\x7e]{1,1000}$/.test(secret)) throw new BoardError(`${beside} must have one line of visible ASCII.`)
  return secret
}

/** Reads a description and its secret. @throws BoardError */
export async function readBoardFile(path: string): Promise<Board> {
  const text = await readText(path)
  if (text === null) throw new BoardError('there is no such file.')
  return readBoard(text, await readSecret(path))
}

/** Reads the files of `BOARD_FILES`. @throws ConfigError that names the faulty file and the error */
export async function readBoards(paths: readonly string[]): Promise<Board[]> {
  const boards: Board[] = []
  for (const [index, path] of paths.entries()) {
    try {
      boards.push(await readBoardFile(path))
    } catch (error) {
      if (!(error instanceof BoardError)) throw error
      throw new ConfigError(`BOARD_FILES: file ${index + 1}: ${error.message}`)
    }
  }
  const names = boards.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new ConfigError(`BOARD_FILES: two boards are called ${twice}.`)
  return boards
}
