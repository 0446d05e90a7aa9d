import { Command } from 'commander'
import { helpEnd } from '../options.ts'

const help = `
It needs no platforms, no credentials and no internet, uses a temporary directory, and removes everything at its end. Every setting of
the service holds for it, too, but those of platforms: with DATA_DIR or DATABASE_URL, which must be empty, the data stay there; with
SMTP_URL mails are sent, and not shown in the mailbox of the demo.`

/** `wishwell demo`: the service with simulated platforms. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('run the service with sample data of simulated platforms, until it is stopped')
    .option('--exit', 'end after the first collection and a search', false)
    .addHelpText('after', helpEnd(help))
    .showHelpAfterError('(wishwell demo --help shows every option)')
    .action(async (options: { exit: boolean }) => (await import('./demo.ts')).runDemo(options))
}
