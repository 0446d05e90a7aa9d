import { readForm } from '../../src/requests/detection/form.ts'
import type { Example } from './corpora.ts'
import { seededRandom } from './random.ts'

// Issue forms of today, written for this project in the manner of those that most repositories have. The corpora are older than such forms, so a
// share of their texts is used once more inside of one.

interface Form {
  titles: readonly string[]
  before: readonly string[]
  after: readonly string[]
}

const wishForms: readonly Form[] = [
  {
    titles: ['', '[Feature Request] ', 'Feature request: ', '[Feature] ', 'feat: ', 'FR: ', '[FEATURE]: '],
    before: [
      '**Is your feature request related to a problem? Please describe.**\n',
      '### Feature request\n',
      '## Feature Description\n',
    ],
    after: [
      "\n**Describe the solution you'd like**\n\n**Describe alternatives you've considered**\n\n**Additional context**\n",
      '\n### Motivation\n\n### Alternatives\n',
      '\n## Proposed solution\n\n## Use case\n',
    ],
  },
  {
    titles: ['', 'Suggestion: ', '[Proposal] ', '[Enhancement] ', 'Add support: ', 'RFC: '],
    before: [
      '### What would you like to be added?\n',
      '### Describe the feature\n',
      '### Problem this feature would solve\n',
      '## Proposal\n',
    ],
    after: [
      '\n### Why is this needed?\n',
      '\n### Would you be willing to contribute this?\n',
      '\n### Would this change the current API? Who will benefit?\n',
    ],
  },
]

const bugForms: readonly Form[] = [
  {
    titles: ['', '[Bug] ', 'Bug: ', '[BUG] ', '[Bug]: ', 'fix: '],
    before: ['**Describe the bug**\n', '### What happened?\n', '### Current behavior\n', '## Bug description\n'],
    after: [
      '\n**To Reproduce**\nSteps to reproduce the behavior:\n\n**Expected behavior**\n\n**Screenshots**\n\n**Desktop**\nOS:\nBrowser:\nVersion:\n',
      '\n### Steps to reproduce\n\n### Expected behavior\n\n### Relevant log output\n',
      '\n### System information\nOS platform and distribution:\nVersion:\n\n### Expected result\n\n### Actual result\n',
    ],
  },
  {
    titles: ['', 'Regression: ', '[Crash] '],
    before: [
      '### Issue type\nBug\n\n### Current behaviour\n',
      '### Version\n\n### Operating system\n\n### Description\n',
      'Does this issue occur when all extensions are disabled?: Yes\n',
    ],
    after: [
      '\n### Environment\n\n### How reliably can you reproduce the issue?\n',
      '\n### Stack trace\n',
      '\n### Link to the code that reproduces this issue\n',
    ],
  },
]

const questionForms: readonly Form[] = [
  {
    titles: ['', 'Question: ', '[Question] ', 'How to: ', '[Help] '],
    before: [
      '### Question\n',
      '**What is your question?**\n',
      '### Issue type\nSupport\n\n',
      '### System information\nVersion:\n\n',
      '',
    ],
    after: ['\n### What have you tried?\n', '\nAny help is appreciated.', '\nIs this the expected behaviour?', ''],
  },
]

/** The share of texts that are used once more in a form. */
const shareOfTracker = 0.2
const shareOfQuestions = 0.05

/** Copies of some examples in forms: of issues, and of posts about software as questions. They keep the group of their text. */
export function inForms(examples: readonly Example[]): Example[] {
  const random = seededRandom(36)
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const copies: Example[] = []
  for (const example of examples) {
    const isQuestion = example.origin === 'unlabelled' && example.stratum === 'software'
    if (example.origin !== 'titanium' && !isQuestion) continue
    const chance = random()
    if (chance >= (isQuestion ? shareOfQuestions : shareOfTracker)) continue
    const form = oneOf(isQuestion ? questionForms : example.label ? wishForms : bugForms)
    const title = `${oneOf(form.titles)}${example.title}`
    const text = `${oneOf(form.before)}${example.text.slice(0, 900)}${oneOf(form.after)}`
    // A type that was chosen is a label, and no label is trained.
    copies.push({ ...example, origin: 'form', title, text: readForm(text).text })
  }
  return copies
}
