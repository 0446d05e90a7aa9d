import { i18n } from '../language.ts'
import { language, laterMessages } from '../locale.ts'

// Each file of this folder imports this one, so that its messages are there when it is read.
i18n.load(language, (await laterMessages()).messages)
