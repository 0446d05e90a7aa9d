import { Command } from 'commander'
import { openTarget } from './export-transfer.ts'
import type { Operator } from './operator.ts'
import { download, operatorHelp } from './operator-command.ts'
import { helpEnd } from './options.ts'
import { exitWhenOutputCloses } from './output.ts'
import { count } from './text.ts'

const help = `
One JSON object a line: title, description, platform, tags, label (whether it is a feature request), by (operator or account) and
confidence (by detection). Corrections of requests that are not stored now are left out. The same corrections give the same lines.
With --out they are written to FILE.partial, which becomes FILE when it is complete.
${operatorHelp}

Example:
  wishwell admin detection export --out corrections.jsonl
  node bench/detection.ts --labelled corrections.jsonl`

const newline = 10

/** Writes the answer to a file or stdout. @returns the number of lines. */
async function transfer(operator: Operator, out: string | undefined): Promise<number> {
  // A wrong call is refused here, before touching a file.
  const chunks = await download(operator, '/api/admin/corrections/requests/export')
  const target = await openTarget(out, false)
  const decoder = new TextDecoder()
  let lines = 0
  try {
    for await (const chunk of chunks) {
      for (const byte of chunk) if (byte === newline) lines += 1
      await target.write(decoder.decode(chunk, { stream: true }))
    }
    await target.finish()
    return lines
  } catch (error) {
    await target.close()
    throw error
  }
}

const exportLabelled = () =>
  new Command('export')
    .description('save every correction of the operator and of accounts as a labelled text, as JSON Lines')
    .option('--out <file>', 'the file to write; an existing file is replaced when the new one is complete')
    .addHelpText('after', helpEnd(help))
    .action(async ({ out }: { out?: string }) => {
      exitWhenOutputCloses()
      const { withOperator } = await import('./operator.ts')
      const lines = await withOperator((operator) => transfer(operator, out))
      const size = count(lines, 'labelled text')
      console.error(out === undefined ? `${size}.` : `Saved ${out}: ${size}.`)
    })

/** `wishwell admin detection`: the operator's commands for the detection of feature requests. */
export function detectionCommand(): Command {
  return new Command('detection')
    .description('export corrections for the training of detection (admin key)')
    .addCommand(exportLabelled())
}
