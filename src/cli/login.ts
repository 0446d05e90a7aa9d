import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Command } from 'commander'
import { answerOf, createApi } from './api.ts'
import { parseClientConfig, readSavedLogin, saveLogin } from './client-config.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { helpEnd } from './options.ts'
import { printLines } from './output.ts'
import { printable } from './text.ts'

const help = `
The key is --key or WISHWELL_API_KEY, else it is asked for on the terminal, or read from stdin. The address is --url or WISHWELL_URL, else the
saved one, else http://127.0.0.1:4680. The key is tried, and then saved with the address in a file that only you can read:
$XDG_CONFIG_HOME/wishwell/config.json, else ~/.config/wishwell/config.json (on Windows in %APPDATA%). To log out, delete the file. The other commands
use it where neither --key nor WISHWELL_API_KEY is given.

Exit codes: 0 done; 1 the service refused the key; 2 the command line is wrong; 3 the service cannot be reached; 5 too many requests.

Examples:
  wishwell login --url https://wishes.example.org
  wishwell login < key.txt`

/** `wishwell login`: saves an address and a key for the other commands. */
export function loginCommand(): Command {
  return new Command('login')
    .description('save the address of a service and your API key for the other commands')
    .addHelpText('after', helpEnd(help))
    .action(login)
}

/** Asks on the terminal without echo. */
async function askForKey(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write('API key: ')
  // Ctrl-D and Ctrl-C end it.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const key = await Promise.race([terminal.question(''), closed])
  terminal.close()
  process.stderr.write('\n')
  return key
}

async function readKey(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n') || text.length > 1_000) break
  }
  return text.split('\n')[0] ?? ''
}

async function login(): Promise<void> {
  const { WISHWELL_URL: address, WISHWELL_API_KEY: given } = process.env
  const key = (given || (await (process.stdin.isTTY ? askForKey() : readKey()))).trim()
  if (key === '') throw new CommandError('No key was given: nothing was saved.', exitCodes.usage)
  const config = parseClientConfig(address ?? readSavedLogin()?.url, key)
  const { data } = await answerOf(createApi(config).GET('/api/v1/usage'))
  const file = saveLogin({ url: config.url, apiKey: config.apiKey })
  printLines([`Logged in at ${config.url} (plan: ${printable(data.tier)}). Saved in ${file}.`])
}
