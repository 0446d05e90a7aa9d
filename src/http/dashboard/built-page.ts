import { fileURLToPath } from 'node:url'
import { isCompiled } from '../../runtime/module-file.ts'

/** The output of `npm run build:dashboard`; in the package a copy of it beside this module. */
export const builtPage = fileURLToPath(new URL(isCompiled ? './page' : '../../../dashboard/dist', import.meta.url))
